import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { baseNameOf, newDescriptor } from '../../../scripts/generator/new-descriptor.js';
import { type CommandResult, runSteps } from '../../support/operator.js';
import { ROOT } from '../../support/server.js';
import { BUILD_TIMEOUT, buildTools } from '../commands/tool.js';
import { createProject, REPOSITORY, type Run } from './project.js';

/** Runs a tool as its npm script does. */
function tool(name: string, ...args: readonly string[]): Promise<Run> {
  return node(join(REPOSITORY, 'scripts', `${name}.ts`), ...args);
}

/** Runs a tool once for each list of arguments, in one process. */
function runEach(
  name: string,
  calls: readonly (readonly string[])[],
): Promise<readonly CommandResult[]> {
  const steps = calls.map((args) => [`scripts/${name}`, args] as const);
  const env = { PATH: process.env['PATH'] ?? '' };
  return runSteps({ root: ROOT, env, steps, goesOn: true });
}

async function runNew(...args: readonly string[]): Promise<CommandResult> {
  const [result] = await runEach('new', [args]);
  if (result === undefined) throw new Error('It never ran.');
  return result;
}

beforeAll(buildTools, BUILD_TIMEOUT);

function node(script: string, ...args: readonly string[]): Promise<Run> {
  const argv = ['--import', 'tsx/esm', '--conditions=jmapsmith-source', script, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { cwd: REPOSITORY }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('npm run new', () => {
  it('writes a descriptor that generates as it is, and never overwrites one', async () => {
    const project = await createProject({});
    const first = await tool('new', 'InvoiceLine', '--root', project.root);
    expect(first).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^capabilities\/invoice-lines\.yaml is written\. Next: npm run generate\n.* git init .*\n$/,
      ),
      stderr: '',
    });
    expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
    expect(await project.read('generated/invoice-lines/InvoiceLine.definition.ts')).toContain(
      'export type InvoiceLineCreate =',
    );
    await project.write('capabilities/invoice-lines.yaml', '# mine\n');
    const again = await runNew('InvoiceLine', '--root', project.root);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('capabilities/invoice-lines.yaml is there already');
    expect(await project.read('capabilities/invoice-lines.yaml')).toBe('# mine\n');
  });

  it('refuses a wrong name of a type with exit code 2 and a line', async () => {
    const names = [[], ['invoice'], ['../Invoice'], ['JmapThing'], ['Promise'], ['A', 'B']];
    const calls = [...names, ['Invoice', '--colour']];
    const nowhere = join(REPOSITORY, 'build/nowhere');
    const runs = await runEach(
      'new',
      calls.map((args) => [...args, '--root', nowhere]),
    );
    expect(runs).toHaveLength(calls.length);
    for (const [at, run] of runs.entries()) {
      expect(run, calls[at]?.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^new: [^\n]*\n$/);
    }
  });

  it('refuses a type that another descriptor has, and names it', async () => {
    const project = await createProject({
      'desk.yaml': 'capability: urn:example:desk\ntypes:\n  Ticket: {}\n',
      'broken.yaml': 'types: [',
    });
    const run = await runNew('TICKET', '--root', project.root);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toBe('new: capabilities/desk.yaml:3:3 has the type Ticket already.\n');
    expect((await runNew('Tickets', '--root', project.root)).code).toBe(0);
  });

  it('makes capabilities/ in a project that has none, and no project', async () => {
    const project = await createProject({});
    await project.remove('capabilities');
    execFileSync('git', ['init', '-q'], { cwd: project.root });
    const made = await runNew('Invoice', '--root', project.root);
    expect(made).toEqual({
      code: 0,
      stdout: 'capabilities/invoices.yaml is written. Next: npm run generate\n',
      stderr: '',
    });
    const before = await project.tree();
    const lost = await runNew('Invoice', '--root', join(project.root, 'a/b'));
    expect(lost).toMatchObject({ code: 2, stdout: '' });
    expect(lost.stderr).toMatch(/^new: there is no folder [^\n]*\n$/);
    expect(await project.tree()).toEqual(before);
  });

  it('names files in lower case with hyphens, in the plural', () => {
    const names = [
      'Invoice',
      'InvoiceLine',
      'Country',
      'Box',
      'Day',
      'HTTPServer',
      'Bus',
      'Area51',
    ];
    expect(names.map(baseNameOf)).toEqual([
      'invoices',
      'invoice-lines',
      'countries',
      'boxes',
      'days',
      'http-servers',
      'buses',
      'area51s',
    ]);
  });

  it('has parts in comments that work without their marks and with their hook', async () => {
    const text = newDescriptor('Invoice').replace(
      /^ {6}# (children:|label:| {2}\S.*)$/gm,
      '      $1',
    );
    const project = await createProject({ 'invoices.yaml': text });
    const refused = await project.generate();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('nothing computes Invoice.label');
    expect(refused.stderr).toContain('\n1 error; nothing was written.');
    await project.write(
      'capabilities/invoices.hooks.ts',
      'export const hooks = { types: { Invoice: { compute: { label: () => "" } } } };\n',
    );
    expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes a comment for whoever reads it first', () => {
    expect(newDescriptor('Invoice').match(/#/g)?.length).toBeGreaterThan(10);
  });
});

describe('every tool of the generator', () => {
  it.each(['generate', 'new'])('%s answers --help on stdout', async (name) => {
    const run = await tool(name, '--help');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(`npm run ${name} -- `);
    expect(run.stdout).toContain('--root DIR');
  });

  it('exits with 2 for an unknown option and for a root without descriptors', async () => {
    const unknown = await tool('generate', '--chek');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/^generate: Unknown option '--chek'/);
    const nowhere = await tool('generate', '--root', join(REPOSITORY, 'build/nowhere'));
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain('there is no folder capabilities/');
  });
});
