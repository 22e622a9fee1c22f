import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/cli.js';
import { createProject, thing } from './project.js';

const THING = thing('properties:\n  text: { type: string, default: "" }');
const VALIDATORS = 'generated/things/Thing.validators.js';

describe('npm run generate', () => {
  it('writes every file of the manifest, and nothing the second time', async () => {
    const project = await createProject({ 'things.yaml': THING });
    const first = await project.generate();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const manifest = JSON.parse(await project.read('generated/manifest.json'));
    const made = await project.tree();
    for (const path of Object.keys(manifest.files)) expect(made).toHaveProperty([path]);
    expect((await project.generate()).stdout).toBe('0 written, 0 removed.\n');
    expect(await project.tree()).toEqual(made);
  });

  it('names the descriptor and the command in front of every TypeScript and JavaScript file', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    for (const [path, text] of Object.entries(await project.tree('generated'))) {
      if (path.endsWith('.json')) continue;
      expect(text, path).toMatch(/^\/\/ Generated from \S+ by `npm run generate`\. /);
    }
    expect(await project.read(VALIDATORS)).toContain('capabilities/things.yaml');
  });

  it('removes what a descriptor no longer makes, and the folder that this empties', async () => {
    const project = await createProject({
      'things.yaml': THING,
      'others.yaml': 'capability: urn:example:others\n',
    });
    await project.generate();
    await project.remove('capabilities/others.yaml');
    const run = await project.generate();
    expect(run.stdout).toMatch(/, 2 removed\.\n$/);
    expect(Object.keys(await project.tree()).filter((path) => /others/.test(path))).toEqual([]);
  });

  it('leaves alone what it never made, and says so', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    await project.write('generated/things/mine.ts', 'export {};\n');
    const run = await project.generate();
    expect(run.stderr).toContain('generated/things/mine.ts');
    expect(await project.read('generated/things/mine.ts')).toBe('export {};\n');
  });

  it('removes nothing outside of its folders, whatever a manifest claims', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    await project.write('precious.txt', 'precious');
    const claims = ['precious.txt', 'generated/../precious.txt', 'prisma/sqlite/migrations/x.sql'];
    await project.write(
      'generated/manifest.json',
      JSON.stringify({ files: Object.fromEntries(claims.map((path) => [path, 'x'])) }),
    );
    expect((await project.generate()).code).toBe(0);
    expect(await project.read('precious.txt')).toBe('precious');
  });

  it('writes nothing at all when one descriptor of several is wrong', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    const before = await project.tree();
    await project.write('capabilities/things.yaml', THING.replace('default: ""', 'default: "x"'));
    await project.write('capabilities/wrong.yaml', 'capability: nonsense\n');
    const run = await project.generate();
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /^capabilities\/wrong\.yaml:1:13: .*\n(?: {2}.*\n)+1 problem; nothing was written\.\n$/,
    );
    expect(await project.tree('generated')).toEqual(
      Object.fromEntries(
        Object.entries(before)
          .filter(([path]) => path.startsWith('generated/'))
          .map(([path, text]) => [path.slice('generated/'.length), text]),
      ),
    );
  });

  it('reads JSON as well, indented by tabs too', async () => {
    const descriptor = {
      capability: 'urn:example:things',
      types: { Thing: { properties: { text: { type: ['string', 'null'] } } } },
    };
    const project = await createProject({ 'things.json': JSON.stringify(descriptor, null, '\t') });
    expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
    expect(await project.read(VALIDATORS)).toContain('Generated from capabilities/things.json');
  });

  it('tells about all wrong files in one run, in order of place', async () => {
    const project = await createProject({
      'b.yaml': 'capability: nonsense\ncolour: red\n',
      'a.yaml': 'capability: [\n',
      'c.json': '{"capability": "urn:example:c", "types": {"c": {"properties": {}}}}',
    });
    const { stderr } = await project.generate();
    const places = stderr
      .split('\n')
      .filter((line) => !line.startsWith('  '))
      .map((line) => line.split(': ')[0]);
    expect(places).toEqual([
      'capabilities/a.yaml:2:1',
      'capabilities/b.yaml:1:13',
      'capabilities/b.yaml:2:1',
      'capabilities/c.json:1:43',
      'capabilities/c.json:1:63',
      '5 problems; nothing was written.',
      '',
    ]);
  });

  it('leaves every file as it was where one can not be written', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
    // A file where a folder has to be: no permission gets past that.
    await project.write('generated/more', '');
    const before = await project.tree();
    await expect(project.generate()).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(await project.tree()).toEqual(before);
  });

  it('reads every descriptor, whatever the letters of its ending, and nothing else', async () => {
    const project = await createProject({
      'a.YAML': 'capability: urn:example:a\n',
      'b.yml': 'capability: urn:example:b\n',
    });
    // A folder, what an editor and what a system leave behind.
    await project.write('capabilities/c.yaml/d.yaml', 'capability: 5\n');
    await symlink('nobody@nowhere.1', join(project.root, 'capabilities/.#b.yml'));
    await project.write('capabilities/._b.yml', 'octets');
    expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
    expect(await project.tree('generated')).toMatchObject({
      'a/capability.ts': expect.stringContaining('urn:example:a'),
      'b/capability.ts': expect.stringContaining('urn:example:b'),
    });
  });

  it('refuses a root without capabilities/ and modes that exclude each other', async () => {
    const project = await createProject({});
    await project.remove('capabilities');
    await expect(project.generate()).rejects.toThrow(UsageError);
    await expect(project.generate({ watch: true })).rejects.toThrow(UsageError);
    await expect(project.generate({ check: true, dryRun: true })).rejects.toThrow(UsageError);
  });
});

describe('npm run generate -- --check', () => {
  it('is content with what generate has just written', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    const run = await project.generate({ check: true });
    expect(run).toEqual({ code: 0, stdout: 'Everything generated is current.\n', stderr: '' });
  });

  it.each([
    ['missing', 'missing', 'npm run generate'],
    ['edited', 'edited by hand', 'npm run generate'],
    ['orphaned', 'orphaned', 'npm run generate'],
    ['foreign', 'orphaned', 'rm generated/things/mine.ts'],
  ])('finds a file that is %s, by name and with what mends it', async (what, words, remedy) => {
    const project = await createProject({
      'things.yaml': THING,
      'others.yaml': 'capability: urn:example:others\n',
    });
    await project.generate();
    const path = {
      missing: VALIDATORS,
      edited: VALIDATORS,
      orphaned: 'generated/others/capability.ts',
      foreign: 'generated/things/mine.ts',
    }[what] as string;
    if (what === 'missing') await project.remove(path);
    if (what === 'edited') await project.write(path, `${await project.read(path)}// mine\n`);
    if (what === 'orphaned') await project.remove('capabilities/others.yaml');
    if (what === 'foreign') await project.write(path, '');
    const before = await project.tree();
    const run = await project.generate({ check: true });
    expect(run.code).toBe(1);
    const line = run.stderr.split('\n').find((each) => each.startsWith(`${path}: `));
    expect(line).toContain(words);
    expect(line).toContain(remedy);
    if (what !== 'orphaned') expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(await project.tree()).toEqual(before);
  });

  it('finds files that are stale since their descriptor changed, and no others', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    await project.write(
      'capabilities/things.yaml',
      `${THING}    required: []\n    acceptSnakeCase: true\n`,
    );
    const run = await project.generate({ check: true });
    expect(run.code).toBe(1);
    expect(
      run.stderr
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual([
      'docs/reference/things.md',
      'generated/manifest.json',
      'generated/things/Thing.definition.ts',
      'generated/things/capability.ts',
    ]);
    expect(run.stderr.match(/stale/g)).toHaveLength(4);
  });

  it('finds a migration that is wanting, which generate then adds without touching the first', async () => {
    const project = await createProject({ 'things.yaml': THING });
    await project.generate();
    const first = await project.tree('prisma/sqlite/migrations');
    await project.write(
      'capabilities/things.yaml',
      `${THING.trimEnd()}\n      more: { type: integer, default: 0 }\n`,
    );
    const check = await project.generate({ check: true });
    expect(check.stderr).toMatch(/^prisma\/sqlite\/migrations\/0002_\S+\/migration\.sql: missing/m);
    await project.generate();
    expect(await project.tree('prisma/sqlite/migrations')).toMatchObject(first);
    expect((await project.generate({ check: true })).code).toBe(0);
  });

  it('says 2 for a wrong descriptor', async () => {
    const project = await createProject({ 'things.yaml': 'capability: nonsense\n' });
    expect((await project.generate({ check: true })).code).toBe(2);
  });
});

describe('npm run generate -- --dry-run', () => {
  it('shows a unified diff of additions, changes and removals, and writes nothing', async () => {
    const project = await createProject({
      'things.yaml': THING,
      'others.yaml': 'capability: urn:example:others\n',
    });
    await project.generate();
    await project.remove('capabilities/others.yaml');
    await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
    const before = await project.tree();
    const { code, stdout } = await project.generate({ dryRun: true });
    expect(code).toBe(0);
    expect(stdout).toContain('--- a/generated/registry.ts\n+++ b/generated/registry.ts\n@@');
    expect(stdout).toContain("-import { othersCapability } from './others/capability.js';");
    expect(stdout).toContain("+import { moreCapability } from './more/capability.js';");
    expect(stdout).toContain('--- /dev/null\n+++ b/generated/more/capability.ts');
    expect(stdout).toContain('--- a/generated/others/capability.ts\n+++ /dev/null');
    expect(await project.tree()).toEqual(before);
  });
});
