import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseHookFile } from '../../../../scripts/generator/hooks/read.js';
import { type Rendered, render } from '../../../../scripts/generator/pipeline.js';

const FIXTURES = fileURLToPath(new URL('../../../hooks', import.meta.url));

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'hooks-'));
  await mkdir(join(root, 'capabilities'));
  await cp(join(FIXTURES, 'machines.yaml'), join(root, 'capabilities/machines.yaml'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function renderWith(hooks: string | null): Promise<Rendered> {
  if (hooks !== null) await writeFile(join(root, 'capabilities/machines.hooks.ts'), hooks);
  return render(root);
}

const WHOLE = `
import type { Hooks } from '../generated/machines/hooks.js';
const compute = { slug: () => '' };
export const hooks = {
  types: { Machine: { compute } },
  methods: { 'Machine/rebuild': async () => ({ accountId: '', rebuilt: 1 }) },
} satisfies Hooks;
`;

function messagesOf({ problems }: Rendered): readonly string[] {
  return problems.map(({ at, code, message }) => `${at.file}:${at.line} ${code} ${message}`);
}

test('without a hook file each missing function is reported at its line, with a stub', async () => {
  const messages = messagesOf(await renderWith(null));
  expect(messages).toHaveLength(2);
  expect(messages[0]).toContain('machines.yaml:9 missing-hook nothing computes Machine.slug');
  expect(messages[0]).toContain(
    'machines.hooks.ts, which is not there yet (docs/reference/hooks.md shows',
  );
  expect(messages[0]).toContain('slug: ({ title }) => {');
  expect(messages[1]).toContain('missing-hook nothing implements Machine/rebuild');
  expect(messages[1]).toContain("'Machine/rebuild': async (args, call, tx) => {");
});

test('with its functions it renders, and the capability binds it', async () => {
  const { problems, owned, warnings } = await renderWith(WHOLE);
  expect([problems, warnings]).toEqual([[], []]);
  const capability = owned.get('generated/machines/capability.ts');
  expect(capability).toContain("import { hooks } from '../../capabilities/machines.hooks.js';");
  expect(capability).toContain('\n  hooks,\n');
});

test('hooks of unknown types and methods are reported, with a suggestion', async () => {
  const messages = messagesOf(
    await renderWith(
      `${WHOLE.replace('types: {', 'types: { Machin: {},')
        .replace('compute }', 'compute, chek() {} }')
        .replace("'Machine/rebuild'", "'Machine/rebuilt': async () => ({}), 'Machine/rebuild'")}`,
    ),
  );
  expect(messages.join('\n')).toMatch(/Machine\/rebuilt is no method.*"Machine\/rebuild"/);
  expect(messages.join('\n')).toMatch(/Machin is no type.*Did you mean "Machine"/);
  expect(messages.join('\n')).toMatch(/chek is no hook.*Did you mean "check"/);
  expect(messages).toHaveLength(3);
});

test('a file that is no TypeScript, or exports no hooks, is reported and not run', async () => {
  expect(messagesOf(await renderWith('export const hooks = {'))[0]).toContain(
    'hooks.ts:1 hook-syntax',
  );
  expect(messagesOf(await renderWith('process.exit(99);'))[0]).toContain('no `export const hooks`');
});

test('spreads and calls may hold anything: nothing is said to be missing', async () => {
  const open = 'const rest = load(); export const hooks = { ...rest };';
  expect(messagesOf(await renderWith(open))).toEqual([]);
});

test('a file written for another form of the descriptor is reported as behind', async () => {
  const { problems, warnings } = await renderWith(`// written for: 000000000000\n${WHOLE}`);
  expect(problems).toEqual([]);
  expect(warnings).toHaveLength(1);
  const message = warnings[0]?.message ?? '';
  const line = /\/\/ written for: [0-9a-f]{12}$/.exec(message)?.[0] ?? 'none';
  expect(warnings[0]).toMatchObject({ code: 'hook-file-behind', at: { line: 1 } });
  expect((await renderWith(`${line}\n${WHOLE}`)).warnings).toEqual([]);
});

test('an internal property reaches hook types and no type of the wire', async () => {
  const { owned } = await renderWith(WHOLE);
  const [wire = '', stored] = (owned.get('generated/machines/Machine.definition.ts') ?? '').split(
    'export interface MachineStored extends Machine {',
  );
  expect(stored).toContain('readonly cost: ');
  expect(owned.get('generated/machines/hooks.ts')).toContain('TypeHooks<MachineStored, ');
  expect(wire).toContain('export interface Machine {');
  expect(wire).not.toContain('cost');
  for (const [path, text] of owned) {
    if (/[.]schema[.]json$|^docs\//.test(path)) expect(text).not.toContain('cost');
  }
});

test('hooks are found through exports, satisfies and names', () => {
  const { hooks } = parseHookFile(
    'a.hooks.ts',
    'const hooks = ({ types: {} } as const);\nexport { hooks };',
  );
  expect(hooks).toMatchObject({ kind: 'object', open: false });
});
