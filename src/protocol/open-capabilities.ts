import type { CapabilityDefinition } from '../capability/capability-definition.js';
import type { AccessMode } from './access-modes.js';

type Scoped = Pick<CapabilityDefinition, 'urn' | 'oauthScopes'>;

/**
 * Returns the capabilities that scopes of a token open, by URN in the order of the definitions;
 * null, which is all of them, where none asks for a scope.
 */
export function openCapabilities(
  definitions: readonly Scoped[],
  scopes: readonly string[],
): ReadonlyMap<string, AccessMode> | null {
  if (definitions.every(({ oauthScopes }) => oauthScopes === undefined)) return null;
  const granted = new Set(scopes);
  const opened = new Map<string, AccessMode>();
  for (const { urn, oauthScopes } of definitions) {
    if (oauthScopes === undefined || granted.has(oauthScopes.full)) opened.set(urn, 'full');
    else if (oauthScopes.read !== undefined && granted.has(oauthScopes.read))
      opened.set(urn, 'read');
  }
  return opened;
}

/** Returns all scopes that the definitions name, each once, in their order. */
export function listScopes(definitions: readonly Scoped[]): readonly string[] {
  const scopes = definitions.flatMap(({ oauthScopes }) =>
    oauthScopes === undefined ? [] : [oauthScopes.full, oauthScopes.read ?? []].flat(),
  );
  return [...new Set(scopes)];
}

/** Returns the scope that opens a capability so far; undefined where no scope does. */
export function findScope({ oauthScopes }: Scoped, needed: AccessMode): string | undefined {
  return needed === 'read' ? (oauthScopes?.read ?? oauthScopes?.full) : oauthScopes?.full;
}
