import type { Suite } from '../suite.js';
import { changesCases } from './changes.js';
import { copyCases } from './copy.js';
import { creationIdCases } from './creation-ids.js';
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

/** Sections C to P of cases.md for one data type. */
export function allCases(suite: Suite): void {
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
