import { existsSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { Problem } from '../../src/descriptor/model.js';
import { EXIT, printError, printLine, UsageError } from '../cli.js';
import { scaffold } from '../scaffold.js';
import { asUsageError } from './file-errors.js';
import { BEHIND } from './hooks/index.js';
import { render } from './pipeline.js';
import { startProgress } from './progress.js';
import { findingLines, findingProblem, findingWords } from './report/findings.js';
import { counted, type Format, summary, tellProblems } from './report/index.js';
import { compare, compareClient, type Difference } from './write/compare.js';
import { readClientManifest } from './write/manifest.js';
import { write } from './write/write.js';

/** Options of the command line; `check` and `dryRun` write nothing. */
export interface GenerateOptions {
  /** Absolute. */
  readonly root: string;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
  /**
   * Takes away what the last migration left for the previous version, even if nothing else changes.
   */
  readonly contract?: boolean;
  /** A folder that gets the typed client too, as the command line has it. */
  readonly client?: string;
  /** How problems are told; text where not given. */
  readonly format?: Format;
  /** With more warnings nothing is written, and the exit code is 1. */
  readonly maxWarnings?: number;
}

/** Files that are named after a run; of a new project there are hundreds. */
const LISTED = 40;

/** Runs the `generate` command; returns its exit code. */
export async function generate(options: GenerateOptions): Promise<number> {
  if ([options.check, options.dryRun, options.watch].filter(Boolean).length > 1)
    throw new UsageError('--check, --dry-run and --watch exclude each other.');
  if (options.watch) {
    const { watchDescriptors } = await import('./watch.js');
    return watchDescriptors(options.root, () => generateOnce(options));
  }
  return generateOnce(options);
}

/** Renders, compares and writes once. Returns the exit code; nothing is written after an error. */
async function generateOnce(options: GenerateOptions): Promise<number> {
  const progress = startProgress('generate');
  try {
    const { root, contract, client } = options;
    if (client !== undefined) refuseFolder(options, client);
    const rendered = await render(root, progress.tell, {
      contract,
      withClient: client !== undefined,
    });
    const { problems, warnings } = rendered;
    if (problems.length > 0) return tellErrors(options, [...problems, ...warnings]);
    if (warnings.length > (options.maxWarnings ?? Number.POSITIVE_INFINITY))
      return tellTooManyWarnings(options, warnings);
    const differences = [
      ...compare(root, rendered),
      ...(client === undefined ? [] : compareClient(root, client, rendered)),
    ];
    if (options.check) return tellFindings(options, warnings, differences);
    tell(options, warnings);
    if (options.dryRun) return await tellDiff(differences, options);
    progress.tell('writing');
    write(options.root, differences);
    for (const file of await scaffold(options.root))
      if ((options.format ?? 'text') === 'text') printLine(`wrote ${file}, which is yours to edit`);
    return tellWritten(differences, options);
  } catch (error) {
    throw asUsageError(error, options.root);
  } finally {
    progress.stop();
  }
}

/**
 * Refuses a folder for the client that is the generator's otherwise, or has files of somebody else:
 * the generator would write over them.
 */
function refuseFolder({ root, check, dryRun }: GenerateOptions, client: string): void {
  const folder = resolve(client);
  const isWithin = (inner: string, outer: string): boolean =>
    `${inner}${sep}`.startsWith(`${outer}${sep}`);
  if (isWithin(root, folder) || isWithin(folder, join(root, 'generated')))
    throw new UsageError(`--client takes a folder of its own, not ${client}.`);
  if (check || dryRun || readClientManifest(folder) !== null || isEmptyFolder(folder)) return;
  throw new UsageError(
    `${client} has files that the generator did not write: name a folder that is empty or new.`,
  );
}

/** Returns whether a folder has no files, or isn't there. */
function isEmptyFolder(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

/** Prints errors and returns the code of wrong input. */
function tellErrors(options: GenerateOptions, all: readonly Problem[]): number {
  tell(options, all);
  if ((options.format ?? 'text') === 'text') printError(`${summary(all)}; nothing was written.`);
  return EXIT.input;
}

/** Tells all problems; to people who set no bound to warnings, those of one code in one line. */
function tell(options: GenerateOptions, problems: readonly Problem[]): void {
  const { root, format = 'text', maxWarnings } = options;
  // --check fails for a hook file that is behind, so each is told with what mends it.
  tellProblems(problems, { root, format, unfolded: maxWarnings === undefined ? [BEHIND] : 'all' });
}

/**
 * Prints the warnings, of which there are more than the command line allows; returns the code for a
 * finding.
 */
function tellTooManyWarnings(options: GenerateOptions, warnings: readonly Problem[]): number {
  const { format = 'text', maxWarnings } = options;
  tell(options, warnings);
  if (format === 'text')
    printError(
      `${counted(warnings.length, 'warning')}, more than --max-warnings ${maxWarnings}; ` +
        'nothing was written.',
    );
  return EXIT.found;
}

/**
 * Prints differing files as findings, for `--check`. Returns the code for a finding if there is
 * one.
 */
function tellFindings(
  options: GenerateOptions,
  warnings: readonly Problem[],
  differences: readonly Difference[],
): number {
  const { format = 'text' } = options;
  const findings = differences.map(findingProblem);
  const isBehind = warnings.some(({ code }) => code === BEHIND);
  if (format === 'text') {
    tell(options, warnings);
    for (const line of findingLines(differences)) printError(line);
    if (findings.length === 0 && !isBehind) printLine('Everything generated is current.');
  } else tell(options, [...warnings, ...findings]);
  return findings.length > 0 || isBehind ? EXIT.found : EXIT.fine;
}

/** Prints what would be written as a patch that git applies, for `--dry-run`. */
async function tellDiff(
  differences: readonly Difference[],
  { format = 'text' }: GenerateOptions,
): Promise<number> {
  if (format === 'json') return EXIT.fine;
  const { createTwoFilesPatch } = await import('diff');
  for (const { path, before, after, finding } of differences) {
    if (finding === 'foreign' || finding === 'orphaned-edited') continue;
    const patch = createTwoFilesPatch(
      before === null ? '/dev/null' : `a/${path}`,
      after === null ? '/dev/null' : `b/${path}`,
      before ?? '',
      after ?? '',
      undefined,
      undefined,
      { context: 3 },
    );
    // A line of context that is blank is a line of the patch.
    printLine(patch.replace(/\n$/, ''));
  }
  return EXIT.fine;
}

/** Prints the paths of files that were written or removed. */
function tellWritten(
  differences: readonly Difference[],
  { format = 'text' }: GenerateOptions,
): number {
  // Output for programs is not mixed with words for people.
  if (format !== 'text') return EXIT.fine;
  const removed = differences.filter(({ finding }) => finding === 'orphaned');
  const written = differences.filter(({ after }) => after !== null);
  const lines = [
    ...written.map(({ path }) => `wrote ${path}`),
    ...removed.map(({ path }) => `removed ${path}`),
  ];
  for (const line of lines.slice(0, LISTED)) printLine(line);
  if (lines.length > LISTED) printLine(`and ${lines.length - LISTED} more`);
  for (const difference of differences)
    if (difference.after === null && difference.finding !== 'orphaned')
      printError(`${difference.path}: ${findingWords(difference)}; it was left alone.`);
  printLine(`${written.length} written, ${removed.length} removed.`);
  return EXIT.fine;
}
