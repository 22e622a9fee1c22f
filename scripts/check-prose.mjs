import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { PROSE_RULES } from './prose/rules.mjs';
import { readProse } from './prose/sources.mjs';

const HELP = `Usage: node scripts/check-prose.mjs [FILE ...]

Checks the sentences of Markdown files, and those of comments and messages in code, by the rules in
scripts/prose/rules.mjs. Without FILE it checks all files of the project.

Exit codes: 0 no findings, 1 findings, 2 wrong input.`;

/** Files to check: pages of Markdown, and the comments and messages of code. */
const PAGE = /\.md$/;
const CODE = /\.(?:ts|mts|mjs|cjs)$/;

/** Tests, whose strings are input. */
const TEST = /^(?:(?:client|conform)\/)?test\//;

/** Records of measurements, tables that a script writes, and the output of a test's input. */
const LEFT_OUT = /^(?:bench\/results|src\/text\/tables|test\/golden)\//;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns the paths of the project's files, those that git doesn't know yet too. */
function listFiles() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => PAGE.test(file) || CODE.test(file))
    .filter((file) => !LEFT_OUT.test(file))
    .filter((file) => existsSync(join(root, file)));
}

/** Returns a message for each finding in a file, which it names as `name`. */
async function judgeFile(kernel, path, name) {
  const source = readFileSync(path, 'utf8');
  const { text, places } = PAGE.test(path)
    ? { text: source }
    : readProse(path, source, !TEST.test(name));
  const { messages } = await kernel.lintText(text, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
    rules: PROSE_RULES,
  });
  return messages.map(({ line, message, ruleId }) => {
    const place = places === undefined ? line : places[line - 1];
    return `${name}:${place} ${ruleId}: ${message}`;
  });
}

async function main(argv) {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const wrong = argv.find((path) => !PAGE.test(path) && !CODE.test(path));
  const unknown = wrong ?? argv.find((path) => !existsSync(path));
  if (unknown !== undefined) {
    process.stderr.write(
      `check-prose: ${unknown} is no file that it reads: .md, .ts, .mts, .mjs or .cjs.\n`,
    );
    return 2;
  }
  const kernel = new TextlintKernel();
  const named = argv.map((path) => [path, path]);
  const files = argv.length > 0 ? named : listFiles().map((path) => [join(root, path), path]);
  let findings = 0;
  for (const [path, name] of files) {
    for (const finding of await judgeFile(kernel, path, name)) {
      findings += 1;
      process.stderr.write(`${finding}\n`);
    }
  }
  return findings === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
