import type { AccessMode } from '../src/accounts/principal.js';
import { createRegistry, type Registry } from '../src/methods/registry.js';
import { chooseNarrower } from '../src/protocol/access-modes.js';
import { projectRoot } from '../src/server/package-root.js';
import { loadProject } from '../src/server/project.js';
import { UsageError } from './cli.js';
import { requireKnown } from './known-names.js';

/** Ends an argument whose mode is reading alone. */
export const READ = ':read';

/** The capabilities and data types that a token is made for; empty for all. */
export interface TokenReach {
  readonly capabilities: ReadonlyMap<string, AccessMode>;
  readonly types: ReadonlyMap<string, AccessMode>;
}

/** Reads the arguments of --capability and --type. Throws UsageError for names of nothing. */
export async function readTokenReach(
  urns: readonly string[],
  names: readonly string[],
): Promise<TokenReach> {
  // A token for everything needs nothing of what the project defines.
  if (urns.length + names.length === 0) return { capabilities: new Map(), types: new Map() };
  const { registry } = await loadProject(projectRoot());
  return judgeTokenReach(urns, names, createRegistry(registry));
}

function judgeTokenReach(
  urns: readonly string[],
  names: readonly string[],
  { capabilities: defined, dataTypes }: Registry,
): TokenReach {
  const capabilities = readModes(urns, defined);
  const types = readModes(names, dataTypes);
  requireKnown('capability', [...capabilities.keys()], [...defined.keys()]);
  requireKnown('type', [...types.keys()], [...dataTypes.keys()]);
  for (const name of types.keys()) {
    const urn = dataTypes.get(name)?.capability ?? '';
    if (capabilities.size === 0 || capabilities.has(urn)) continue;
    throw new UsageError(`--type ${name} is of ${urn}: add --capability ${urn}.`);
  }
  return { capabilities, types };
}

/** Returns modes by name. A name that comes twice has the narrower mode. */
function readModes(
  texts: readonly string[],
  known: { has(name: string): boolean },
): ReadonlyMap<string, AccessMode> {
  const modes = new Map<string, AccessMode>();
  for (const text of texts) {
    // A name may end so itself.
    const isRead = text.endsWith(READ) && !known.has(text);
    const name = isRead ? text.slice(0, -READ.length) : text;
    const mode = isRead ? 'read' : 'full';
    modes.set(name, chooseNarrower(modes.get(name) ?? 'full', mode) ?? mode);
  }
  return modes;
}

/** Returns modes as the command takes them: `all` for all. */
export function writeModes(modes: ReadonlyMap<string, AccessMode> | null): string {
  if (modes === null) return 'all';
  const texts = Array.from(modes, ([name, mode]) => (mode === 'read' ? name + READ : name));
  return texts.join(',') || 'none';
}
