import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../../scripts/cli.js';
import { createProject, type Project, readTree, thing, WITH_CLIENT } from './project.js';

const THING = thing('properties:\n  text: { type: string, default: "" }');
const OTHER = THING.replaceAll('Thing', 'Other').replaceAll('things', 'others');

async function projectWithClient(): Promise<Project> {
  const project = await createProject({ 'things.yaml': THING, 'others.yaml': OTHER });
  await project.write('package.json', WITH_CLIENT);
  return project;
}

/** Makes a folder that is outside of every project. */
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-client-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('the typed client of a project', () => {
  it('is there if the package.json names the package, and goes if it no longer does', async () => {
    const project = await createProject({ 'things.yaml': THING });
    const plain = await project.read('package.json');
    await project.generate();
    expect(await project.tree('generated')).not.toHaveProperty(['client/Thing.ts']);
    await project.write('package.json', WITH_CLIENT);
    expect((await project.generate({ check: true })).stderr).toContain('generated/client/Thing.ts');
    await project.generate();
    expect(Object.keys(await project.tree('generated/client'))).toEqual([
      ...['Thing.ts', 'index.ts', 'manifest.json'],
    ]);
    expect((await project.generate({ check: true })).code).toBe(0);
    await project.write('package.json', plain);
    expect((await project.generate()).stdout).toMatch(/, 3 removed\.\n$/);
    expect(Object.keys(await project.tree('generated')).join()).not.toContain('client/');
  });

  it('loses the module of a type that is gone', async () => {
    const project = await projectWithClient();
    await project.generate();
    await project.remove('capabilities/others.yaml');
    expect((await project.generate({ check: true })).stderr).toContain('generated/client/Other.ts');
    await project.generate();
    expect(await project.tree('generated/client')).not.toHaveProperty(['Other.ts']);
    expect(await project.read('generated/client/index.ts')).not.toContain('Other');
  });

  it('has the hash of each type that the definition of the server has', async () => {
    const project = await projectWithClient();
    await project.generate();
    const hash = hashIn(await project.read('generated/client/Thing.ts'));
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(hashIn(await project.read('generated/things/Thing.definition.ts'))).toBe(hash);
  });

  it('keeps the hash of a type when words, names of definitions or indexes change', async () => {
    const plain = thing(`properties:
  text: { type: string, maxLength: 99, default: "" }
  at: { $ref: '#/$defs/place', default: {} }
sort: [text]`);
    const definition = 'type: object, properties: { x: { type: integer } } }';
    const changed = plain
      .replaceAll('place', 'spot')
      .replace('[text]', '[{ property: text, indexed: true }]')
      .replace('default: ""', 'default: "", description: Words., deprecated: Words.');
    expect(await hashOf(`${changed}$defs: { spot: { description: Words., ${definition} }\n`)).toBe(
      await hashOf(`${plain}$defs: { place: { ${definition} }\n`),
    );
  });

  it.each([
    ['a bound', 'properties: { text: { type: string, default: "", maxLength: 9 } }'],
    ['a default', 'properties: { text: { type: string, default: "a" } }'],
    ['a filter', 'properties: { text: { type: string, default: "" } }\nfilter: { text: equals }'],
    ['a sort', 'properties: { text: { type: string, default: "" } }\nsort: [text]'],
    ['methods', 'properties: { text: { type: string, default: "" } }\nstandardMethods: [get]'],
  ])('changes the hash of a type with %s', async (_what, lines) => {
    expect(await hashOf(thing(lines))).not.toBe(await hashOf(THING));
  });

  it('keeps the hash of a type with another internal property', async () => {
    const lines = 'secret: { type: integer, access: internal, default: 0 }';
    const text = 'text: { type: string, default: "" }';
    expect(await hashOf(thing(`properties:\n  ${text}\n  ${lines}`))).toBe(await hashOf(THING));
  });
});

describe('generate --client', () => {
  it('writes the same client to a folder, also of a project that doesn’t name it', async () => {
    const [project, client] = [await projectWithClient(), await emptyFolder()];
    await project.generate({ client });
    const { 'manifest.json': _own, ...inProject } = await project.tree('generated/client');
    const { 'manifest.json': manifest = '', ...inFolder } = await readTree(client);
    expect(inFolder).toEqual(inProject);
    expect(Object.keys(JSON.parse(manifest).files)).toEqual(Object.keys(inFolder));
    const other = await createProject({ 'things.yaml': THING, 'others.yaml': OTHER });
    await rm(client, { recursive: true });
    expect((await other.generate({ client })).code).toBe(0);
    expect(await readTree(client)).toMatchObject(inFolder);
    expect(await other.tree('generated')).not.toHaveProperty(['client/Thing.ts']);
  });

  it('--check tells missing, stale, edited and foreign files of the folder', async () => {
    const [project, client] = [await projectWithClient(), await emptyFolder()];
    await project.generate({ client });
    expect(await project.generate({ client, check: true })).toMatchObject({ code: 0 });
    await rm(join(client, 'Other.ts'));
    await writeFile(join(client, 'Thing.ts'), '// mine\n');
    await writeFile(join(client, 'mine.ts'), 'export {};\n');
    await project.write('capabilities/more.yaml', OTHER.replaceAll(/([Oo])thers?/g, 'M$1re'));
    expect((await project.generate({ check: true })).stderr).not.toContain('mine.ts');
    const { code, stderr } = await project.generate({ client, check: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Other\.ts.*Mend it with: npm run generate -- --client /);
    expect(stderr).toMatch(/Thing\.ts: edited by hand/);
    expect(stderr).toMatch(/mine\.ts: orphaned: the generator never made it/);
    expect(stderr).toMatch(/2 files are stale.*index\.ts.*--client/);
    const found = JSON.parse(
      (await project.generate({ client, check: true, format: 'json' })).stdout,
    );
    expect(JSON.stringify(found)).toContain('file-hand-edited');
  });

  it('removes modules of types that are gone, and leaves the files of others', async () => {
    const [project, client] = [await projectWithClient(), await emptyFolder()];
    await project.generate({ client });
    await writeFile(join(client, 'mine.ts'), 'export {};\n');
    await project.remove('capabilities/others.yaml');
    await project.generate({ client });
    expect(Object.keys(await readTree(client))).toEqual([
      ...['Thing.ts', 'index.ts', 'manifest.json', 'mine.ts'],
    ]);
  });

  it('--dry-run shows the folder’s files and writes none', async () => {
    const [project, client] = [await projectWithClient(), await emptyFolder()];
    const { stdout } = await project.generate({ client, dryRun: true });
    expect(stdout).toMatch(/^\+\+\+ b\/.*Thing\.ts$/m);
    expect(stdout).toContain(`/${client.split('/').at(-1)}/Thing.ts`);
    expect(await readTree(client)).toEqual({});
  });

  it('refuses a folder that has files of others, and folders of the project’s own', async () => {
    const [project, client] = [await projectWithClient(), await emptyFolder()];
    await writeFile(join(client, 'index.ts'), '// mine\n');
    await expect(project.generate({ client })).rejects.toThrow(UsageError);
    expect(await readFile(join(client, 'index.ts'), 'utf8')).toBe('// mine\n');
    await mkdir(join(project.root, 'generated'));
    for (const folder of [project.root, join(project.root, 'generated/mine'), tmpdir()])
      await expect(project.generate({ client: folder })).rejects.toThrow(/a folder of its own/);
  });
});

function hashIn(text: string): string {
  return / {2}hash: '(.*)',/.exec(text)?.[1] ?? '';
}

/** Returns the hash of the type Thing of a descriptor. */
async function hashOf(descriptor: string): Promise<string> {
  const project = await createProject({ 'things.yaml': descriptor });
  expect((await project.generate()).code).toBe(0);
  return hashIn(await project.read('generated/things/Thing.definition.ts'));
}
