import { randomInt } from 'node:crypto';
import { UsageError } from '../../src/descriptor/command-line.js';
import type { Check } from './check.js';
import { CHECKS } from './checks/index.js';
import { NoAnswerError } from './client/no-answer.js';
import { readAuthorization, readOthers, readSecrets } from './credential-options.js';
import { ForeignError, learnTypes, readDescribed, UnreadableError } from './learn.js';
import type { Options } from './options.js';
import { countStatuses, type Outcome, type Results } from './outcome.js';
import { ProgressLines } from './progress.js';
import { startSink } from './push-options.js';
import { REPORTS } from './report/index.js';
import { writeSummary } from './report/text.js';
import { type Plan, run, type Selection, selectChecks } from './run.js';
import { LostError } from './runner.js';
import { makeOptionError, readSeed, readSelection } from './selection-options.js';
import { DescriptorError, type World } from './subject/described.js';
import { readSamples, SampleError } from './subject/samples.js';
import { Server } from './subject/server.js';
import { SessionError } from './subject/session.js';
import { readTransport, readWire, requireUrl } from './wire-options.js';

/** Describes a run that is over: its report, and the exit code's two reasons. */
export interface Conformed {
  readonly failed: boolean;
  /** Whether a check could not be done by a defect of the runner's own. */
  readonly hasDefect: boolean;
  readonly report: string;
  /** For people, where the report goes to a file. */
  readonly summary: string;
}

/** Errors that are the input's fault. */
const INPUT = [
  UsageError,
  SessionError,
  NoAnswerError,
  UnreadableError,
  DescriptorError,
  ForeignError,
  SampleError,
];

/**
 * Runs what the options say; `tell` takes lines of progress. Throws UsageError where nothing can be
 * run.
 */
export async function conform(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  tell: (line: string) => void,
  signal?: AbortSignal,
): Promise<Conformed> {
  const report = REPORTS[options.report];
  if (report === undefined) throw makeOptionError('--report', options.report, Object.keys(REPORTS));
  const secrets = readSecrets(options, environment);
  try {
    const say = (line: string): void => tell(secrets.hide(line));
    const { outcomes, ...head } = await runAll(options, environment, say, signal);
    // The recorder saw to the outcomes.
    const results = { ...secrets.hideIn(head), outcomes };
    const summary = writeSummary(results);
    const { failed: count, defect } = countStatuses(results.outcomes);
    const failed = count > 0 || results.ended !== undefined;
    return { failed, hasDefect: defect > 0, report: report(results), summary };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (INPUT.some((one) => error instanceof one))
      throw new UsageError(secrets.hide(error.message));
    error.stack = secrets.hide(error.stack ?? error.message);
    throw error;
  }
}

/**
 * Connects, learns the types, runs the checks that the options select, and closes the connections.
 */
async function runAll(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  tell: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<Results> {
  const { url, strict = false, descriptor: files = [], account: accounts } = options;
  if (url === undefined) throw new UsageError('--url is missing: where is the server?');
  requireUrl(url);
  const authorization = readAuthorization(options, environment);
  const transport = readTransport(options.transport);
  const selection = readSelection(options);
  const seed = options.seed === undefined ? randomInt(2 ** 31) : readSeed(options.seed);
  const others = readOthers(options);
  const described = await readDescribed(files);
  const wire = await readWire(options, environment);
  const sink = await startSink(options);
  const named = {
    ...(accounts === undefined ? {} : { accounts }),
    ...(sink === null ? {} : { sink }),
  };
  const server = await Server.connect({
    ...{ url, authorization, others, transport, seed, wire, strict, ...named },
  }).catch((error: unknown) => {
    sink?.close();
    throw error;
  });
  try {
    requireAccounts(server, accounts ?? []);
    const world = await learnTypes(server, files, described);
    if (options.samples !== undefined) server.samples = await readSamples(options.samples, world);
    requireSome(selection, world);
    const plan = { server, world, checks: CHECKS, selection, ...(signal && { signal }) };
    return { url, transport, seed, ...(await runPlan(plan, tell)) };
  } finally {
    server.close();
    sink?.close();
  }
}

/** Runs a plan. Returns the outcomes, the warnings, and why the run is not whole. */
async function runPlan(
  plan: Plan,
  tell: (line: string) => void,
): Promise<Pick<Results, 'outcomes' | 'warnings' | 'ended'>> {
  const warnings: string[] = [];
  const unusable: string[] = [];
  const keepIn = (list: string[]) => (line: string) => {
    list.push(line);
    tell(line);
  };
  const progress = new ProgressLines(tell);
  try {
    const told = { warn: keepIn(warnings), unusable: keepIn(unusable) };
    const outcomes = await run({ ...plan, ...told }, progress);
    if (plan.signal?.aborted !== true)
      return { outcomes, warnings, ...findGap(outcomes, unusable) };
    if (warnings.length === 0) tell('Interrupted: what was made is removed.');
    return { outcomes, warnings, ended: `The run was interrupted. ${progress.left}` };
  } catch (error) {
    if (!(error instanceof LostError)) throw error;
    const ended = `${error.message} ${progress.left}`;
    tell(ended);
    return { outcomes: error.outcomes, warnings, ended };
  }
}

/**
 * Throws UsageError where the selection names an unknown type, or has no check that can run. Such a
 * run would end as if all had passed.
 */
function requireSome(selection: Selection, world: World): void {
  const { levels = [], types = [] } = selection;
  for (const type of types)
    if (!world.has(type)) throw makeOptionError('--type', type, [...world.keys()]);
  const checks = selectChecks(CHECKS, selection);
  if (checks.length === 0)
    throw new UsageError(
      `No check is of all that was asked for, at the levels ${levels.join(', ')} ` +
        '(--list shows the checks; --level).',
    );
  if (world.size === 0 && checks.every(({ scope }) => scope === 'type'))
    throw new UsageError(
      'These are checks of a type, and none is known: --descriptor FILE describes one.',
    );
}

/**
 * Returns why outcomes without a failure don't show that all is well: a type could not be used, or
 * no check could run.
 */
function findGap(
  outcomes: readonly Outcome[],
  unusable: readonly string[],
): { readonly ended?: string } {
  if (unusable.length > 0) return { ended: unusable.join(' ') };
  const { passed, failed } = countStatuses(outcomes);
  return passed + failed > 0 ? {} : { ended: 'Not one check could be run.' };
}

/**
 * Throws UsageError where `--account` names an account that the user can't write to, or one twice.
 */
function requireAccounts({ user }: Server, accounts: readonly string[]): void {
  for (const [index, id] of accounts.entries()) {
    const { session } = user;
    const writable = Object.keys(session.accounts).filter((one) => !session.isReadOnly(one));
    if (!writable.includes(id)) throw makeOptionError('--account', id, writable);
    if (accounts.indexOf(id) !== index)
      throw new UsageError(
        `--account ${JSON.stringify(id)} is given twice: copies go to another account.`,
      );
  }
}

/** Returns a line for each check that is selected, with its section, level, id and rule. */
export const listChecks = (options: Options): string =>
  selectChecks(CHECKS, readSelection(options)).map(writeLine).join('');

const writeLine = ({ id, specification, section, level, rule }: Check): string =>
  `${specification} ${section}\t${level}\t${id}\t${rule}\n`;
