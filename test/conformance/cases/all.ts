import { describe } from 'vitest';
import type { TypeCheck } from '../../../conform/src/check.js';
import { isDescribed } from '../../../conform/src/checks/index.js';
import { nestedPatchChecks } from '../../../conform/src/checks/patch-nested.js';
import { TYPE_CHECKS, typeConformance, useServer } from '../checks.js';
import { nestedPatchDecisions } from '../decisions/patch-nested.js';
import type { Suite } from '../suite.js';

/** The parts of the suite that run for a type: the protocol's checks, its descriptor's, or both. */
export interface Selection {
  readonly protocol?: boolean;
  readonly described?: boolean;
}

/**
 * A descriptor's words are checked where the protocol's part is not, too; so is each place that a
 * patch may name.
 */
const DESCRIBED = new Set<TypeCheck>([
  ...TYPE_CHECKS.filter(isDescribed),
  ...nestedPatchChecks,
  ...nestedPatchDecisions,
]);

/** Tests the type that a descriptor describes: a descriptor is all that this needs. */
export function conformance(suite: Suite, selection: Selection = {}): void {
  const { protocol = true, described = true } = selection;
  describe(suite.type, () => {
    const checks = TYPE_CHECKS.filter((one) => (DESCRIBED.has(one) ? described : protocol));
    typeConformance(useServer(suite.fixtures), suite.world, [suite.type], checks);
  });
}
