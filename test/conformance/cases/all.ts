import { afterAll, beforeAll, describe } from 'vitest';
import type { Suite } from '../suite.js';
import { changesCases } from './changes.js';
import { copyCases } from './copy.js';
import { creationIdCases } from './creation-ids.js';
import { describedCases } from './described.js';
import { dispatchCases } from './dispatch.js';
import { getCases } from './get.js';
import { metamorphicCases } from './metamorphic.js';
import { queryChangesCases } from './query-changes.js';
import { queryFilterCases } from './query-filter.js';
import { querySortCases } from './query-sort.js';
import { queryWindowCases } from './query-window.js';
import { referenceCases } from './references.js';
import { setCreateCases } from './set-create.js';
import { setDestroyCases } from './set-destroy.js';
import { setUpdateCases } from './set-update.js';
import { singletonCases } from './singleton.js';

/** Sections C to P of cases.md for one data type, as far as its shape lets them. */
export function allCases(suite: Suite): void {
  if (suite.profile.singleton) {
    singletonCases(suite);
    return;
  }
  // The cases of protocol write a text, change it and find it again.
  if (suite.profile.text === '') return;
  dispatchCases(suite);
  referenceCases(suite);
  creationIdCases(suite);
  getCases(suite);
  changesCases(suite);
  setCreateCases(suite);
  setUpdateCases(suite);
  setDestroyCases(suite);
  queryFilterCases(suite);
  querySortCases(suite);
  queryWindowCases(suite);
  queryChangesCases(suite);
  copyCases(suite);
  metamorphicCases(suite);
}

/** What of the suite is run for a type: the protocol's cases, its descriptor's, or both. */
export interface Selection {
  readonly protocol?: boolean;
  readonly described?: boolean;
}

/** Tests the type that a descriptor describes: a descriptor is all that this needs. */
export function conformance(suite: Suite, selection: Selection = {}): void {
  const { protocol = true, described = true } = selection;
  describe(suite.type, () => {
    beforeAll(() => suite.prepare());
    afterAll(() => suite.tidy());
    if (protocol) allCases(suite);
    if (described) describedCases(suite);
  });
}
