import type { Fault } from '../proxy.js';
import { blobMethodFaults } from './blob-methods.js';
import { blobRuleFaults } from './blob-rules.js';
import { blobCopyFaults, downloadFaults, uploadFaults } from './blobs.js';
import { changesFaults } from './changes.js';
import { copyFaults } from './copy.js';
import { creationIdFaults } from './creation-ids.js';
import { describedFaults } from './described.js';
import { describedAbsentFaults } from './described-absent.js';
import { describedObjectFaults } from './described-objects.js';
import { describedRelationFaults } from './described-relations.js';
import { describedWordFaults } from './described-words.js';
import { dispatchFaults } from './dispatch.js';
import { echoFaults } from './echo.js';
import { eventFaults } from './events.js';
import { getFaults } from './get.js';
import { ijsonFaults } from './ijson.js';
import { limitsFaults } from './limits.js';
import { onceFaults } from './once.js';
import { patchFaults } from './patch.js';
import { metamorphicFaults, queryChangesFaults } from './query-changes.js';
import { queryFilterFaults } from './query-filter.js';
import { querySortFaults } from './query-sort.js';
import { queryStateFaults, queryWindowFaults } from './query-window.js';
import { referencesFaults } from './references.js';
import { requestFaults } from './request.js';
import { securityFaults } from './security.js';
import { sessionFaults } from './session.js';
import { setCreateFaults } from './set-create.js';
import { setStateFaults } from './set-state.js';
import { setUpdateFaults } from './set-update.js';
import { snakeCaseFaults } from './snake-case.js';
import { websocketFaults } from './websocket.js';
import { websocketPushFaults } from './websocket-push.js';

/** Every check has at least one fault that it must notice. */
export const FAULTS: readonly Fault[] = Object.freeze([
  ...sessionFaults,
  ...securityFaults,
  ...requestFaults,
  ...ijsonFaults,
  ...limitsFaults,
  ...referencesFaults,
  ...echoFaults,
  ...dispatchFaults,
  ...getFaults,
  ...changesFaults,
  ...queryFilterFaults,
  ...querySortFaults,
  ...queryWindowFaults,
  ...queryStateFaults,
  ...queryChangesFaults,
  ...metamorphicFaults,
  ...copyFaults,
  ...setCreateFaults,
  ...setUpdateFaults,
  ...patchFaults,
  ...setStateFaults,
  ...creationIdFaults,
  ...onceFaults,
  ...uploadFaults,
  ...downloadFaults,
  ...blobCopyFaults,
  ...blobMethodFaults,
  ...blobRuleFaults,
  ...eventFaults,
  ...websocketFaults,
  ...websocketPushFaults,
  ...describedFaults,
  ...describedRelationFaults,
  ...describedAbsentFaults,
  ...describedObjectFaults,
  ...describedWordFaults,
  ...snakeCaseFaults,
]);
