import { randomInt } from 'node:crypto';
import { UsageError } from '../../src/descriptor/command-line.js';
import { type Check, isOfSection, LEVELS, type Level } from './check.js';
import { CHECKS } from './checks/index.js';
import type { TransportName } from './client/connection.js';
import { basic, bearer } from './client/credentials.js';
import { NoAnswerError } from './client/no-answer.js';
import { Secrets } from './client/secrets.js';
import { describedIn, ForeignError, learnTypes, UnreadableError } from './learn.js';
import { countOf, type Outcome, type Results } from './outcome.js';
import { ProgressLines } from './progress.js';
import { REPORTS } from './report/index.js';
import { summaryOf } from './report/text.js';
import { LostError, run, type Selection, selectChecks } from './run.js';
import { DescriptorError, type World } from './subject/described.js';
import { readSamples, SampleError } from './subject/samples.js';
import { Server } from './subject/server.js';
import { SessionError } from './subject/session.js';
import { wireOf } from './wire-options.js';

/** The command's options, as they were written. */
export interface Options {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly basic?: string | undefined;
  readonly 'other-token'?: readonly string[] | undefined;
  readonly 'other-basic'?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  readonly ca?: string | undefined;
  readonly timeout?: string | undefined;
  readonly samples?: string | undefined;
  readonly descriptor?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly transport: string;
  readonly section?: readonly string[] | undefined;
  readonly check?: readonly string[] | undefined;
  readonly level?: string | undefined;
  readonly report: string;
  readonly seed?: string | undefined;
  readonly strict?: boolean | undefined;
}

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
  if (report === undefined) throw oneOf('--report', options.report, Object.keys(REPORTS));
  const secrets = secretsOf(options, environment);
  try {
    const say = (line: string): void => tell(secrets.hidden(line));
    const { outcomes, ...head } = await runAll(options, environment, say, signal);
    // The recorder saw to the outcomes.
    const results = { ...secrets.hiddenIn(head), outcomes };
    const summary = summaryOf(results);
    const { failed: count, defect } = countOf(results.outcomes);
    const failed = count > 0 || results.ended !== undefined;
    return { failed, hasDefect: defect > 0, report: report(results), summary };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (INPUT.some((one) => error instanceof one))
      throw new UsageError(secrets.hidden(error.message));
    error.stack = secrets.hidden(error.stack ?? error.message);
    throw error;
  }
}

/** Returns all credentials that were given, be they legal or not. */
function secretsOf(
  options: Options,
  { CONFORM_TOKEN, CONFORM_BASIC }: Readonly<Record<string, string | undefined>>,
): Secrets {
  const tokens = [options.token, CONFORM_TOKEN, ...(options['other-token'] ?? [])];
  const pairs = [options.basic, CONFORM_BASIC, ...(options['other-basic'] ?? [])];
  return new Secrets([
    ...tokens.flatMap((one) => (one === undefined ? [] : [bearer(one)])),
    ...pairs.flatMap((one) => (one === undefined ? [] : (basic(one) ?? []))),
  ]);
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
  const { url, strict = false } = options;
  if (url === undefined) throw new UsageError('--url is missing: where is the server?');
  requireUrl(url);
  const authorization = authorizationOf(options, environment);
  const transport = transportOf(options.transport);
  const selection = selectionOf(options);
  const wanted = options.level === undefined ? null : levelsOf(options.level);
  const seed = options.seed === undefined ? randomInt(2 ** 31) : seedOf(options.seed);
  const others = [
    ...(options['other-token'] ?? []).map(bearerOf),
    ...(options['other-basic'] ?? []).map((pair) => basicOf('--other-basic', pair)),
  ];
  const { descriptor: files = [] } = options;
  const described = await describedIn(files);
  const accounts = options.account;
  const wire = await wireOf(options, environment);
  const named = accounts === undefined ? {} : { accounts };
  const server = await Server.connect({
    ...{ url, authorization, others, transport, seed, wire, strict, ...named },
  });
  try {
    requireAccounts(server, accounts ?? []);
    const world = await learnTypes(server, files, described);
    if (options.samples !== undefined) server.samples = await readSamples(options.samples, world);
    for (const type of selection.types ?? [])
      if (!world.has(type)) throw oneOf('--type', type, [...world.keys()]);
    const warnings: string[] = [];
    const levels = wanted ?? LEVELS;
    requireSome({ ...selection, levels }, world);
    const unusable: string[] = [];
    const plan = {
      server,
      world,
      checks: CHECKS,
      selection: { ...selection, levels },
      unusable: (reason: string) => {
        unusable.push(reason);
        tell(reason);
      },
      warn: (line: string) => {
        warnings.push(line);
        tell(line);
      },
      ...(signal === undefined ? {} : { signal }),
    };
    const progress = new ProgressLines(tell);
    const head = { url, transport, seed, warnings };
    try {
      const outcomes = await run(plan, progress);
      if (signal?.aborted !== true) return { ...head, outcomes, ...gapOf(outcomes, unusable) };
      if (warnings.length === 0) tell('Interrupted: what was made is removed.');
      return { ...head, outcomes, ended: `The run was interrupted. ${progress.left}` };
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
      const ended = `${error.message} ${progress.left}`;
      tell(ended);
      return { ...head, outcomes: error.outcomes, ended };
    }
  } finally {
    server.close();
  }
}

/**
 * Throws UsageError where the selection has no check that can run. Such a run would end as if all
 * had passed.
 */
function requireSome(selection: Selection, world: World): void {
  const checks = selectChecks(CHECKS, selection);
  const { levels = [] } = selection;
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
function gapOf(
  outcomes: readonly Outcome[],
  unusable: readonly string[],
): { readonly ended?: string } {
  if (unusable.length > 0) return { ended: unusable.join(' ') };
  const { passed, failed } = countOf(outcomes);
  return passed + failed > 0 ? {} : { ended: 'Not one check could be run.' };
}

/**
 * Throws UsageError where `--account` names an account that the user can't write to, or one twice.
 */
function requireAccounts({ user }: Server, accounts: readonly string[]): void {
  for (const [index, id] of accounts.entries()) {
    const { session } = user;
    const writable = Object.keys(session.accounts).filter((one) => !session.isReadOnly(one));
    if (!writable.includes(id)) throw oneOf('--account', id, writable);
    if (accounts.indexOf(id) !== index)
      throw new UsageError(
        `--account ${JSON.stringify(id)} is given twice: copies go to another account.`,
      );
  }
}

/**
 * Returns the Authorization header of the options' credentials, or else of the environment's.
 * Throws UsageError where there are none, or both kinds.
 */
function authorizationOf(
  { token, basic: pair }: Options,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const { CONFORM_TOKEN: setToken = '', CONFORM_BASIC: setPair = '' } = environment;
  const isGiven = token !== undefined || pair !== undefined;
  const [aToken, aPair] = isGiven ? [token ?? '', pair ?? ''] : [setToken, setPair];
  if (aToken !== '' && aPair !== '')
    throw new UsageError('A bearer token and Basic credentials are given: it can be one of them.');
  if (aPair !== '') return basicOf(isGiven ? '--basic' : 'CONFORM_BASIC', aPair);
  if (aToken !== '') return bearerOf(aToken);
  throw new UsageError(
    '--token is missing: a bearer token of a user of the server, or --basic USER:PASSWORD.',
  );
}

/**
 * Returns the header of Basic credentials. The error for a wrong pair doesn't repeat it, for it may
 * hold a password.
 */
function basicOf(option: string, pair: string): string {
  const authorization = basic(pair);
  if (authorization === null)
    throw new UsageError(`${option} is a user's name, a colon and the password: USER:PASSWORD.`);
  return authorization;
}

/** RFC 6750 2.1 has fewer: servers may have tokens of another form. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Returns the header of a bearer token. The error for a wrong token doesn't repeat it either. */
function bearerOf(token: string): string {
  if (TOKEN.test(token)) return bearer(token);
  throw new UsageError('A token has visible ASCII characters alone.');
}

/** Throws UsageError where `--url` is no URL of HTTP or holds credentials. */
function requireUrl(text: string): void {
  if (!URL.canParse(text)) throw new UsageError(`--url ${text} is no URL.`);
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`--url ${text} begins with neither https:// nor http://.`);
  // Reports tell the URL.
  if (username !== '' || password !== '')
    throw new UsageError('--url has no user and no password: --basic USER:PASSWORD has them.');
}

/** Returns a line for each check that is selected, with its section, level, id and rule. */
export function listed(options: Options): string {
  const levels = options.level === undefined ? undefined : levelsOf(options.level);
  const selection = selectionOf(options);
  const checks = selectChecks(CHECKS, levels === undefined ? selection : { ...selection, levels });
  return checks.map(line).join('');
}

const line = ({ id, specification, section, level, rule }: Check): string =>
  `${specification} ${section}\t${level}\t${id}\t${rule}\n`;

/** Returns the selection of the options. Throws UsageError where one names nothing. */
function selectionOf({ type, section, check }: Options): Selection {
  for (const wanted of section ?? [])
    if (!CHECKS.some((one) => isOfSection(one, wanted)))
      throw oneOf('--section', wanted, sectionsOf(CHECKS));
  for (const id of check ?? [])
    if (!CHECKS.some((one) => one.id === id))
      throw new UsageError(`--check ${id}: there is no such check (--list shows them).`);
  return {
    ...(type === undefined ? {} : { types: type }),
    ...(section === undefined ? {} : { sections: section }),
    ...(check === undefined ? {} : { checks: check }),
  };
}

/** By their numbers: 3.10 comes after 3.2. */
const sectionsOf = (checks: readonly Check[]): readonly string[] =>
  [...new Set(checks.map(({ section }) => section))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );

/** Returns a level and the stricter ones before it. */
function levelsOf(word: string): readonly Level[] {
  const at = LEVELS.indexOf(word as Level);
  if (at === -1) throw oneOf('--level', word, LEVELS);
  return LEVELS.slice(0, at + 1);
}

/** Returns the transport of a name. Throws UsageError where there is none. */
function transportOf(word: string): TransportName {
  if (word === 'http' || word === 'websocket') return word;
  throw oneOf('--transport', word, ['http', 'websocket']);
}

/** Returns the number of `--seed`. Throws UsageError where it is none. */
function seedOf(word: string): number {
  if (/^\d{1,10}$/.test(word)) return Number(word);
  throw new UsageError(
    `--seed is a whole number of up to ten digits, not ${JSON.stringify(word)}.`,
  );
}

/** Returns the error of an option whose value is not among the legal ones. */
function oneOf(option: string, word: string, legal: readonly string[]): UsageError {
  const words = legal.length === 0 ? 'nothing is known' : legal.join(', ');
  return new UsageError(`${option} ${JSON.stringify(word)} is none of these: ${words}.`);
}
