import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../support/server.js';

/**
 * Returns complaints about the commands of a sample: a command that doesn't exist, an option that
 * its --help doesn't name.
 */
export function complaintsOf(text: string): readonly string[] {
  return commandsIn(text).flatMap((command) =>
    complain(command).map((why) => `${command.join(' ')}: ${why}`),
  );
}

/** Each command of the lines, as words; quoted texts are one word. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const token of text.matchAll(TOKENS)) {
    const [whole] = token;
    if (/^\s+#/.test(whole) || whole.startsWith('#')) continue;
    if (/^(?:\n|&&|\||;)$/.test(whole)) commands.push([]);
    else commands.at(-1)?.push(whole);
  }
  return commands.filter((words) => words.length > 0);
}

const TOKENS = /\s#[^\n]*|\n|&&|\||;|(?:[^\s'"|;&]+|'[^']*'|"(?:\$\([^)]*\)|[^"])*")+/g;

const { scripts, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
};

function complain(words: readonly string[]): readonly string[] {
  const [program = '', ...args] = words;
  const [, substituted] = /^\w+=\$\((.+)$/.exec(program) ?? [];
  if (substituted !== undefined) return complain([substituted, ...args]);
  switch (program) {
    case 'npm':
      return complainOfNpm(args);
    case 'npx': {
      const [name = '', tool = '', ...rest] = args;
      if (!Object.hasOwn(bin, name)) return [`no command of the package: ${name}`];
      if (!TEAM_TOOLS.test(`  ${tool}: {`)) return [`no tool: ${tool}`];
      return complainOfOptions(tool, rest);
    }
    case 'node':
      return complainOfServer(args);
    case 'curl':
      return complainOfCurl(words.join(' '));
    case 'cut':
      return [];
    case 'cp':
      return args.slice(0, -1).flatMap((path) => complainOfPath(path));
    default:
      return ['nothing tests such a command: mark it by "sample: untested: REASON"'];
  }
}

function complainOfNpm(args: readonly string[]): readonly string[] {
  const [verb = '', ...rest] = args;
  if (verb === 'ci' || verb === 'install') return [];
  const words = rest.filter((word) => word !== '-s' && word !== '--');
  const [name = '', ...more] = verb === 'run' ? words : [verb, ...words];
  if (!Object.hasOwn(scripts, name)) return [`package.json has no script ${name}`];
  return complainOfOptions(name, more);
}

/** The keys of the tools of bin/jmapsmith.mjs. */
const TEAM_TOOLS = (() => {
  const sources = ['bin/jmapsmith.mjs', 'scripts/server-tools.mjs'];
  const source = sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const names = [...source.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name);
  return new RegExp(`^ {2}(?:${names.join('|')}): \\{$`);
})();

/** The command of a standalone server; test/package/standalone.test.ts runs it. */
function complainOfServer([file = '', tool, ...rest]: readonly string[]): readonly string[] {
  if (basename(file) !== 'server.mjs') return [`no server: ${file}`];
  if (tool === undefined || tool.startsWith('--')) return [];
  if (!TEAM_TOOLS.test(`  ${tool}: {`)) return [`no tool: ${tool}`];
  return complainOfOptions(tool, rest);
}

function complainOfOptions(tool: string, args: readonly string[]): readonly string[] {
  const help = helpOf(tool, args);
  const options = args
    .filter((word) => /^--\w/.test(word) && word !== '--help')
    .map((word) => word.split('=')[0] ?? '');
  const [command] = args;
  const commands = /COMMAND\b/.test(help) && command !== undefined ? [command] : [];
  return [
    ...options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help)),
    ...commands.filter((one) => !new RegExp(`^  ${one}\\b`, 'm').test(help)),
  ].map((word) => `its help doesn't have ${word}`);
}

/** Returns the sources that hold the text of --help. */
function helpOf(tool: string, args: readonly string[]): string {
  const [job = ''] = args;
  const sources: Readonly<Record<string, readonly string[]>> = {
    bench: [`bench/${job}.ts`, 'bench/options.ts'],
    build: ['scripts/team.mjs'],
    conform: ['conform/src/program.ts', 'conform/src/command.ts'],
  };
  return (sources[tool] ?? [`scripts/${tool}.ts`])
    .map((file) => join(ROOT, file))
    .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    .join('\n');
}

const SERVED = ['/.well-known/jmap', '/jmap'];

function complainOfCurl(command: string): readonly string[] {
  const urls = [...command.matchAll(/http:\/\/127\.0\.0\.1:8080(\S*)/g)].map(([, path]) => path);
  const wrong = urls.filter((path) => !SERVED.includes(path ?? ''));
  return urls.length === 0 ? ['it names no URL'] : wrong.map((path) => `${path} is not served`);
}

function complainOfPath(path: string): readonly string[] {
  const [begin = '', end] = basename(path).split('*');
  const folder = join(ROOT, dirname(path));
  const isThere =
    existsSync(folder) &&
    readdirSync(folder).some((name) =>
      end === undefined ? name === begin : name.startsWith(begin) && name.endsWith(end),
    );
  return isThere ? [] : [`there is no ${path}`];
}

/** The request that a curl command of a sample sends, or null. */
export function requestIn(text: string): string | null {
  return /-d '(\{.*\})'/s.exec(text)?.[1] ?? null;
}
