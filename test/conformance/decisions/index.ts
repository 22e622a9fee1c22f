import type { Check } from '../../../conform/src/check.js';
import { blobCopyDecisions } from './blob-copy.js';
import { downloadDecisions } from './blob-downloads.js';
import { blobLookupDecisions, blobLookupTypeDecisions } from './blob-lookup.js';
import { blobUploadMethodDecisions } from './blob-methods.js';
import { blobGetMethodDecisions } from './blob-reads.js';
import { blobRuleDecisions } from './blob-rules.js';
import { uploadDecisions } from './blobs.js';
import { changesDecisions } from './changes.js';
import { changesStateDecisions } from './changes-states.js';
import { copyDecisions } from './copy.js';
import { copyDestroyDecisions } from './copy-destroy.js';
import { copyRefusedDecisions } from './copy-refused.js';
import { creationIdDecisions } from './creation-ids.js';
import { creationReferenceDecisions } from './creation-references.js';
import { describedAccessDecisions } from './described-access.js';
import { describedArgumentDecisions } from './described-arguments.js';
import { describedBlobDecisions } from './described-blobs.js';
import { describedCountDecisions } from './described-counts.js';
import { describedLimitDecisions } from './described-limits.js';
import { describedLinkDecisions } from './described-links.js';
import { describedOrderDecisions } from './described-order.js';
import { describedTreeDecisions } from './described-trees.js';
import { describedUniqueDecisions } from './described-unique.js';
import { describedValueDecisions } from './described-values.js';
import { dispatchDecisions } from './dispatch.js';
import { eventServerDecisions } from './events.js';
import { getDecisions } from './get.js';
import { ijsonDecisions } from './ijson.js';
import { limitsDecisions } from './limits.js';
import { patchDecisions } from './patch.js';
import { nestedPatchDecisions } from './patch-nested.js';
import { queryChangesDecisions } from './query-changes.js';
import { queryChangesDescribedDecisions } from './query-changes-described.js';
import { queryChangesUpToDecisions } from './query-changes-up-to.js';
import { queryCollationDecisions } from './query-collation.js';
import { queryConditionDecisions } from './query-conditions.js';
import { queryContainerDecisions } from './query-containers.js';
import { queryFilterDecisions } from './query-filter.js';
import { querySortDecisions } from './query-sort.js';
import { queryStateDecisions } from './query-state.js';
import { queryWindowDecisions } from './query-window.js';
import { referencesDecisions } from './references.js';
import { referencesOfTypesDecisions } from './references-of-types.js';
import { requestDecisions } from './request.js';
import { securityDecisions } from './security.js';
import { sessionDecisions } from './session.js';
import { setBatchDecisions } from './set-batch.js';
import { setCreateDecisions } from './set-create.js';
import { setDestroyDecisions } from './set-destroy.js';
import { setStateDecisions } from './set-state.js';
import { setUpdateDecisions } from './set-update.js';
import { setValueDecisions } from './set-values.js';
import { singletonDecisions } from './singleton.js';
import { snakeCaseDecisions } from './snake-case.js';
import { socketFrameDecisions, socketHandshakeDecisions } from './websocket.js';
import { socketEqualDecisions } from './websocket-equal.js';
import { socketErrorDecisions, socketMessageDecisions } from './websocket-messages.js';

/**
 * Checks of what the RFCs leave open and this server decided. They have the form of the conformance
 * runner's checks, so that the tests run them for each type, transport and database.
 */
export const DECISIONS: readonly Check[] = Object.freeze([
  ...blobCopyDecisions,
  ...downloadDecisions,
  ...blobLookupDecisions,
  ...blobLookupTypeDecisions,
  ...blobUploadMethodDecisions,
  ...blobGetMethodDecisions,
  ...blobRuleDecisions,
  ...uploadDecisions,
  ...changesStateDecisions,
  ...changesDecisions,
  ...copyDestroyDecisions,
  ...copyRefusedDecisions,
  ...copyDecisions,
  ...creationIdDecisions,
  ...creationReferenceDecisions,
  ...describedAccessDecisions,
  ...describedArgumentDecisions,
  ...describedBlobDecisions,
  ...describedCountDecisions,
  ...describedLimitDecisions,
  ...describedLinkDecisions,
  ...describedOrderDecisions,
  ...describedTreeDecisions,
  ...describedUniqueDecisions,
  ...describedValueDecisions,
  ...dispatchDecisions,
  ...eventServerDecisions,
  ...getDecisions,
  ...ijsonDecisions,
  ...limitsDecisions,
  ...nestedPatchDecisions,
  ...patchDecisions,
  ...queryChangesDescribedDecisions,
  ...queryChangesUpToDecisions,
  ...queryChangesDecisions,
  ...queryCollationDecisions,
  ...queryConditionDecisions,
  ...queryContainerDecisions,
  ...queryFilterDecisions,
  ...querySortDecisions,
  ...queryStateDecisions,
  ...queryWindowDecisions,
  ...referencesOfTypesDecisions,
  ...referencesDecisions,
  ...requestDecisions,
  ...securityDecisions,
  ...sessionDecisions,
  ...setBatchDecisions,
  ...setCreateDecisions,
  ...setDestroyDecisions,
  ...setStateDecisions,
  ...setUpdateDecisions,
  ...setValueDecisions,
  ...singletonDecisions,
  ...snakeCaseDecisions,
  ...socketEqualDecisions,
  ...socketMessageDecisions,
  ...socketErrorDecisions,
  ...socketHandshakeDecisions,
  ...socketFrameDecisions,
]);
