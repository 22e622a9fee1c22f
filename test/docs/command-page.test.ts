import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/server.js';

/** docs/reference/commands.md has the options and commands that the tools' own --help tells. */
const PAGE = readFileSync(join(ROOT, 'docs/reference/commands.md'), 'utf8');
const SECTIONS = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((text) => [text.split('\n')[0] ?? '', text] as const),
);
const SCRIPTS = [
  ...['new', 'describe', 'breaking', 'migrate', 'account'],
  ...['token', 'user', 'push', 'tasks', 'seed', 'backup', 'restore', 'generate'],
];
const run = promisify(execFile);

/** The --help of each tool, printed by one process: each by itself takes a second to load. */
const helps = new Map<string, string>();
beforeAll(async () => {
  const print = `process.argv = [process.execPath, 'tool', '--help'];
    process.exit = () => undefined;
    for (const tool of ${JSON.stringify(SCRIPTS)}) {
      await import('./scripts/' + tool + '.ts');
      process.stdout.write('\\0');
    }`;
  const args = ['--import', 'tsx/esm', '--conditions=jmapsmith-source', '--input-type=module'];
  const { stdout } = await run(process.execPath, [...args, '-e', print], { cwd: ROOT });
  for (const [at, help] of stdout.split('\0').entries()) helps.set(SCRIPTS[at] ?? '', help);
});

describe('docs/reference/commands.md', () => {
  it.each(SCRIPTS)('%s has the options of its --help, and its commands', (tool) => {
    const stdout = helps.get(tool) ?? '';
    expect(stdout).not.toBe('');
    const section = SECTIONS.get(tool) ?? '';
    expect(optionsOf(section)).toEqual(optionsOf(stdout));
    expect(commandsOf(section, /^- `([a-z][a-z-]*)/gm)).toEqual(
      stdout.includes('COMMAND\n') ? commandsOf(stdout, /^ {2}([a-z][a-z-]*)/gm) : [],
    );
  });

  it('build, start and check have the options of their --help', async () => {
    // Not by jmapsmith itself, which would build the package before it answers.
    const print =
      "import('./scripts/team.mjs').then(({ HELP }) => console.log(JSON.stringify(HELP)))";
    const { stdout } = await run(process.execPath, ['-e', print], { cwd: ROOT });
    const printed = Object.entries(JSON.parse(stdout) as Readonly<Record<string, string>>);
    expect(printed.map(([tool]) => tool)).toEqual(
      expect.arrayContaining(['build', 'start', 'check']),
    );
    for (const [tool, help] of printed)
      expect(optionsOf(SECTIONS.get(tool) ?? ''), tool).toEqual(optionsOf(help));
  });

  it('has each tool of npx jmapsmith', () => {
    const source = ['bin/jmapsmith.mjs', 'scripts/server-tools.mjs']
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
      .join('\n');
    const tools = [...source.matchAll(/^ {2}(\w+): \{/gm)].map(([, name = '']) => name);
    expect(tools).toContain('generate');
    expect(tools.filter((tool) => tool !== 'conform' && !SECTIONS.has(tool))).toEqual([]);
    for (const tool of SECTIONS.keys())
      if (/^[a-z]+$/.test(tool)) expect(tools, tool).toContain(tool);
  });
});

/** The options that a text names, but for --help, which all have. */
function optionsOf(text: string): readonly string[] {
  const names = [...text.matchAll(/--[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => name !== '--help').sort();
}

function commandsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
