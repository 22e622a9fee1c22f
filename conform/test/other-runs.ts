import type { Check } from '../src/check.js';
import { CHECKS } from '../src/checks/index.js';
import type { Outcome } from '../src/outcome.js';
import { run } from '../src/run.js';
import { readWorld, type World } from '../src/subject/described.js';
import { Server, type ServerOptions } from '../src/subject/server.js';
import { type OtherServer, THINGS } from './other-server.js';

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };
/** An account of the user. */
export const OWN = { isPersonal: true, isReadOnly: false };
/** The type of the descriptor. */
export const world = readWorld([THINGS]);

export interface Ran {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly string[];
}

/** Runs checks, or those of some ids, against a server. */
export async function ran(
  other: OtherServer,
  wanted: readonly string[] | readonly Check[],
  more: Partial<ServerOptions> & {
    readonly samples?: Server['samples'];
    readonly world?: World;
  } = {},
): Promise<Ran> {
  const server = await Server.connect({ url: other.url, authorization: 'Bearer t', ...more });
  if (more.samples !== undefined) server.samples = more.samples;
  const warnings: string[] = [];
  const checks = CHECKS.filter(({ id }) => (wanted as readonly unknown[]).includes(id));
  const plan = {
    ...{
      server,
      world: more.world ?? world,
      selection: {},
      warn: (line: string) => warnings.push(line),
    },
    checks: checks.length > 0 ? checks : (wanted as readonly Check[]),
  };
  return { outcomes: await run(plan, IDLE), warnings };
}

/** Returns how each check ended, by its id. */
export const statuses = ({ outcomes }: Ran): Record<string, string> =>
  Object.fromEntries(outcomes.map(({ check, status }) => [check.id, status]));
