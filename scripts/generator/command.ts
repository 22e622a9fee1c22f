import { createTwoFilesPatch } from 'diff';
import { EXIT, printError, printLine, UsageError } from '../cli.js';
import { asUsageError } from './file-errors.js';
import type { Problem } from './model.js';
import { render } from './pipeline.js';
import { startProgress } from './progress.js';
import { watchDescriptors } from './watch.js';
import { compare, type Difference, type Finding } from './write/compare.js';
import { write } from './write/write.js';

export interface GenerateOptions {
  /** Absolute. */
  readonly root: string;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
}

/** Files that are named after a run; of a new project there are hundreds. */
const LISTED = 40;

/** What mends a finding. */
const REMEDY: Readonly<Record<Finding, (path: string) => string>> = Object.freeze({
  missing: () => 'npm run generate',
  stale: () => 'npm run generate',
  'hand-edited': () => 'npm run generate',
  orphaned: () => 'npm run generate',
  foreign: (path) => `rm ${path}`,
});

const FINDING_WORDS: Readonly<Record<Finding, string>> = Object.freeze({
  missing: 'missing',
  stale: 'stale: its descriptor has changed since',
  'hand-edited': 'edited by hand: what was changed will be lost',
  orphaned: 'orphaned: no descriptor makes it any more',
  foreign: 'orphaned: the generator never made it',
});

/** The `generate` command; returns its exit code. */
export async function generate(options: GenerateOptions): Promise<number> {
  if ([options.check, options.dryRun, options.watch].filter(Boolean).length > 1)
    throw new UsageError('--check, --dry-run and --watch exclude each other.');
  if (options.watch) return watchDescriptors(options.root, () => once(options));
  return once(options);
}

async function once(options: GenerateOptions): Promise<number> {
  const progress = startProgress('generate');
  try {
    const rendered = await render(options.root, progress.tell);
    if (rendered.problems.length > 0) return explain(rendered.problems);
    const differences = await compare(options.root, rendered);
    if (options.check) return tellFindings(differences);
    if (options.dryRun) return tellDiff(differences);
    progress.tell('writing');
    await write(options.root, differences);
    return tellWritten(differences);
  } catch (error) {
    throw asUsageError(error, options.root);
  } finally {
    progress.stop();
  }
}

function explain(problems: readonly Problem[]): number {
  for (const { at, message } of problems)
    printError(`${at.file}:${at.line}:${at.column}: ${message}`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  printError(`${count}; nothing was written.`);
  return EXIT.input;
}

function tellFindings(differences: readonly Difference[]): number {
  for (const { path, finding } of differences)
    printError(`${path}: ${FINDING_WORDS[finding]}. Mend it with: ${REMEDY[finding](path)}`);
  if (differences.length > 0) return EXIT.found;
  printLine('Everything generated is current.');
  return EXIT.fine;
}

function tellDiff(differences: readonly Difference[]): number {
  for (const { path, before, after, finding } of differences) {
    if (finding === 'foreign') continue;
    const patch = createTwoFilesPatch(
      before === null ? '/dev/null' : `a/${path}`,
      after === null ? '/dev/null' : `b/${path}`,
      before ?? '',
      after ?? '',
      undefined,
      undefined,
      { context: 3 },
    );
    printLine(patch.trimEnd());
  }
  return EXIT.fine;
}

function tellWritten(differences: readonly Difference[]): number {
  const removed = differences.filter(({ finding }) => finding === 'orphaned');
  const written = differences.filter(({ after }) => after !== null);
  const lines = [
    ...written.map(({ path }) => `wrote ${path}`),
    ...removed.map(({ path }) => `removed ${path}`),
  ];
  for (const line of lines.slice(0, LISTED)) printLine(line);
  if (lines.length > LISTED) printLine(`and ${lines.length - LISTED} more`);
  for (const { path, finding } of differences)
    if (finding === 'foreign') printError(`${path}: ${FINDING_WORDS[finding]}; it was left alone.`);
  printLine(`${written.length} written, ${removed.length} removed.`);
  return EXIT.fine;
}
