import { livingAccounts } from '../src/accounts/living.js';
import { readAmount } from '../src/descriptor/amounts.js';
import { didYouMean } from '../src/descriptor/check/did-you-mean.js';
import {
  changeTerms,
  checkUsage,
  keepQuotas,
  type QuotaKeeping,
} from '../src/methods/quota/keep-quotas.js';
import type { OwnTerms, Quotas } from '../src/methods/quota/quota-index.js';
import type { Registry } from '../src/methods/registry.js';
import { type Command, EXIT, parseOptions, printLine, UsageError } from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { openStore } from './open-store.js';

/** How long the quotas of one account may take, ms: all of its objects may be counted. */
const PATIENCE = 600_000;
const NONE = 'none';

/** The commands of quotas, beside the others of accounts. */
export function quotaCommands(load: () => Promise<Registry>): Readonly<Record<string, Command>> {
  return {
    'set-plan': async (argv) => {
      const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
      const [id = '', plan = ''] = exactly(positionals, 'ID PLAN');
      return withQuotas(load, async (keeping, accounts) => {
        requireName('plan', plan, [NONE, ...keeping.quotas.plans.keys()]);
        await change(keeping, { id, accounts }, (_, terms) => ({
          ...terms,
          plan: plan === NONE ? null : plan,
        }));
      });
    },

    'set-quota': async (argv) => {
      const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
      const [id = '', name = '', limit = ''] = exactly(positionals, 'ID QUOTA LIMIT');
      const { unreferencedBlobs } = await load();
      if (name === unreferencedBlobs?.name)
        throw new UsageError(`The quota "${name}" has one limit for all accounts.`);
      return withQuotas(load, async (keeping, accounts) => {
        const { all } = keeping.quotas;
        requireName(
          'quota',
          name,
          all.map((quota) => quota.name),
        );
        const amount = /^\d+$/.test(limit) ? Number(limit) : limit;
        const resource = all.find((quota) => quota.name === name)?.resource ?? 'count';
        const ownLimit = limit === NONE ? null : readAmount(amount, resource);
        if (ownLimit === undefined)
          throw new UsageError(`${JSON.stringify(limit)} is no limit: 500, or 20GB of octets.`);
        await change(keeping, { id, accounts }, (quota, terms) =>
          quota.name === name ? { ...terms, ownLimit } : terms,
        );
      });
    },

    'check-usage': async (argv) => {
      const { values, positionals } = parseOptions(argv, {
        options: { mend: { type: 'boolean' } },
        allowPositionals: true,
      });
      if (positionals.length > 1) throw new UsageError('Takes [ID] (--help tells more).');
      const [id] = positionals;
      let wrong = 0;
      const code = await withQuotas(load, async (keeping, accounts) => {
        if (id !== undefined) requireAccount(id, accounts);
        for (const each of id === undefined ? accounts : [id])
          wrong += await check(keeping, each, values.mend ?? false);
      });
      return code === EXIT.fine && wrong > 0 && values.mend !== true ? EXIT.found : code;
    },
  };
}

interface Target {
  readonly id: string;
  /** Ids of all accounts. */
  readonly accounts: readonly string[];
}

async function change(
  keeping: QuotaKeeping,
  { id, accounts }: Target,
  terms: (quota: Quotas['all'][number], terms: OwnTerms) => OwnTerms,
): Promise<void> {
  requireAccount(id, accounts);
  await changeTerms(keeping, id, { deadline: performance.now() + PATIENCE }, terms);
}

/** Prints the quotas of an account that are wrong. Resolves to their number. */
async function check(keeping: QuotaKeeping, id: string, mends: boolean): Promise<number> {
  const deadline = performance.now() + PATIENCE;
  const checked = await checkUsage(keeping, id, { deadline });
  const wrong = checked.filter(({ used, counted }) => used !== counted);
  const rows = wrong.map(({ name, used, counted }) => [
    id,
    name,
    `used ${used}`,
    `counted ${counted}`,
  ]);
  for (const line of columns(rows)) printLine(line);
  if (mends && wrong.length > 0) await keepQuotas(keeping, id, { deadline }, 'all');
  return wrong.length;
}

/** Runs a command on the quotas of the project, in the database that the environment names. */
async function withQuotas(
  load: () => Promise<Registry>,
  work: (keeping: QuotaKeeping, accounts: readonly string[]) => Promise<void>,
): Promise<number> {
  const registry = await load();
  const { quotas } = registry;
  if (quotas === null)
    throw new UsageError('No capability of the project declares quotas of accounts.');
  return withDirectory(async (prisma, config) => {
    const accounts = await livingAccounts(prisma).list();
    const { store, conductor, close } = await openStore(config.database, registry);
    try {
      await work({ store, conductor, quotas }, accounts);
    } finally {
      await close();
    }
  });
}

function requireAccount(id: string, accounts: readonly string[]): void {
  if (!accounts.includes(id)) throw new UsageError(`There is no account ${JSON.stringify(id)}.`);
}

function requireName(what: 'plan' | 'quota', name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new UsageError(
    `The project has no ${what} ${JSON.stringify(name)}.${didYouMean(name, known)} There are:\n  ` +
      known.join('\n  '),
  );
}

function exactly(positionals: readonly string[], names: string): readonly string[] {
  if (positionals.length === names.split(' ').length) return positionals;
  throw new UsageError(`Takes ${names} (--help tells more).`);
}
