import type { Check } from '../check.js';
import { blobCopyChecks } from './blob-copy.js';
import { downloadChecks } from './blob-downloads.js';
import { blobLookupChecks, blobLookupTypeChecks } from './blob-lookup.js';
import { blobGetMethodChecks } from './blob-reads.js';
import { blobRuleChecks, blobRuleTypeChecks } from './blob-rules.js';
import { blobUploadCallChecks } from './blob-upload-calls.js';
import { blobUploadSourceChecks } from './blob-upload-sources.js';
import { uploadChecks } from './blobs.js';
import { changesChecks } from './changes.js';
import { changesStateChecks } from './changes-states.js';
import { copyChecks } from './copy.js';
import { copyDestroyChecks } from './copy-destroy.js';
import { copyRefusedChecks } from './copy-refused.js';
import { creationIdChecks } from './creation-ids.js';
import { creationReferenceChecks } from './creation-references.js';
import { describedAccessChecks } from './described-access.js';
import { describedAggregateChecks } from './described-aggregates.js';
import { describedAnsweredChecks } from './described-answered.js';
import { describedBlobChecks } from './described-blobs.js';
import { describedCountChecks } from './described-counts.js';
import { describedDestroyChecks } from './described-destroys.js';
import { describedFinalChecks } from './described-final.js';
import { describedLinkChecks } from './described-links.js';
import { describedNormalChecks } from './described-normal.js';
import { describedNullChecks } from './described-nulls.js';
import { describedOptionalChecks } from './described-optional.js';
import { describedRuleChecks } from './described-rules.js';
import { describedShapeChangesChecks } from './described-shape-changes.js';
import { describedShapeChecks } from './described-shapes.js';
import { describedSortChecks } from './described-sorts.js';
import { describedTimeChecks } from './described-times.js';
import { describedTreeChecks } from './described-trees.js';
import { describedUnknownChecks } from './described-unknown.js';
import { describedValueChecks } from './described-values.js';
import { dispatchChecks } from './dispatch.js';
import { dispatchAccountChecks } from './dispatch-accounts.js';
import { dispatchArgumentChecks } from './dispatch-arguments.js';
import { echoChecks } from './echo.js';
import { eventReplayChecks } from './event-replays.js';
import { eventServerChecks } from './event-source.js';
import { eventTypeChecks } from './event-states.js';
import { getChecks } from './get.js';
import { ijsonChecks } from './ijson.js';
import { ijsonAnswerChecks } from './ijson-answers.js';
import { languageChecks } from './language.js';
import { limitsChecks } from './limits.js';
import { metamorphicChecks } from './metamorphic.js';
import { onceTypeChecks, onceUploadChecks } from './once.js';
import { patchChecks } from './patch.js';
import { nestedPatchChecks } from './patch-nested.js';
import { principalChecks } from './principals.js';
import { pushChangeChecks, pushVerificationChecks } from './push-deliveries.js';
import { pushMethodChecks } from './push-subscriptions.js';
import { pushDestroyChecks, pushUpdateChecks } from './push-updates.js';
import { queryAnchorChecks } from './query-anchor.js';
import { queryChangesChecks } from './query-changes.js';
import { queryChangesDescribedChecks } from './query-changes-described.js';
import { queryChangesRefusedChecks } from './query-changes-refused.js';
import { queryChangesStateChecks } from './query-changes-states.js';
import { queryChangesUpToChecks } from './query-changes-up-to.js';
import { queryCollationChecks } from './query-collation.js';
import { queryFilterChecks } from './query-filter.js';
import { querySortChecks } from './query-sort.js';
import { queryStateChecks } from './query-state.js';
import { querySyncChecks } from './query-sync.js';
import { queryWindowChecks } from './query-window.js';
import { quotaUseChecks } from './quota-use.js';
import { quotaChecks } from './quotas.js';
import { referencesAsArgumentsChecks } from './references-as-arguments.js';
import { referenceFormChecks } from './references-forms.js';
import { referencesOfTypesChecks } from './references-of-types.js';
import { referencePathChecks } from './references-paths.js';
import { referenceResponseChecks } from './references-responses.js';
import { requestChecks } from './request.js';
import { securityChecks } from './security.js';
import { sessionChecks } from './session.js';
import { setBatchChecks } from './set-batch.js';
import { setCreateChecks } from './set-create.js';
import { setDestroyChecks } from './set-destroy.js';
import { setStateChecks } from './set-state.js';
import { setUpdateChecks } from './set-update.js';
import { setValueChecks } from './set-values.js';
import { shareNoteChecks } from './share-notes.js';
import { shareChecks } from './shares.js';
import { singletonChecks } from './singleton.js';
import { viewChecks, viewQueryChecks } from './views.js';
import { followedViewChecks } from './views-followed.js';
import { socketFrameChecks, socketHandshakeChecks } from './websocket.js';
import { socketEqualChecks } from './websocket-equal.js';
import { socketErrorChecks } from './websocket-errors.js';
import { socketMessageChecks } from './websocket-messages.js';
import { socketPushChecks } from './websocket-push.js';

/** All checks, in the order in which they are run: those of the server first, then by section. */
export const CHECKS: readonly Check[] = Object.freeze([
  ...sessionChecks,
  ...securityChecks,
  ...requestChecks,
  ...languageChecks,
  ...ijsonChecks,
  ...ijsonAnswerChecks,
  ...limitsChecks,
  ...echoChecks,
  ...referencePathChecks,
  ...referenceResponseChecks,
  ...referenceFormChecks,
  ...referencesOfTypesChecks,
  ...referencesAsArgumentsChecks,
  ...dispatchChecks,
  ...dispatchAccountChecks,
  ...dispatchArgumentChecks,
  ...getChecks,
  ...changesChecks,
  ...changesStateChecks,
  ...metamorphicChecks,
  ...setCreateChecks,
  ...setValueChecks,
  ...setUpdateChecks,
  ...patchChecks,
  ...nestedPatchChecks,
  ...setDestroyChecks,
  ...setStateChecks,
  ...setBatchChecks,
  ...onceTypeChecks,
  ...creationIdChecks,
  ...creationReferenceChecks,
  ...singletonChecks,
  ...copyChecks,
  ...copyRefusedChecks,
  ...copyDestroyChecks,
  ...queryFilterChecks,
  ...querySortChecks,
  ...queryCollationChecks,
  ...queryWindowChecks,
  ...queryAnchorChecks,
  ...queryStateChecks,
  ...queryChangesChecks,
  ...queryChangesRefusedChecks,
  ...queryChangesStateChecks,
  ...queryChangesUpToChecks,
  ...queryChangesDescribedChecks,
  ...querySyncChecks,
  ...uploadChecks,
  ...onceUploadChecks,
  ...downloadChecks,
  ...blobCopyChecks,
  ...blobRuleChecks,
  ...blobUploadSourceChecks,
  ...blobUploadCallChecks,
  ...blobGetMethodChecks,
  ...blobLookupChecks,
  ...blobLookupTypeChecks,
  ...blobRuleTypeChecks,
  ...pushMethodChecks,
  ...pushUpdateChecks,
  ...pushVerificationChecks,
  ...pushChangeChecks,
  ...pushDestroyChecks,
  ...eventServerChecks,
  ...eventTypeChecks,
  ...eventReplayChecks,
  ...socketHandshakeChecks,
  ...socketFrameChecks,
  ...socketMessageChecks,
  ...socketErrorChecks,
  ...socketEqualChecks,
  ...socketPushChecks,
  ...quotaChecks,
  ...quotaUseChecks,
  ...principalChecks,
  ...shareChecks,
  ...shareNoteChecks,
  ...viewChecks,
  ...viewQueryChecks,
  ...followedViewChecks,
  ...describedValueChecks,
  ...describedAccessChecks,
  ...describedAnsweredChecks,
  ...describedRuleChecks,
  ...describedLinkChecks,
  ...describedDestroyChecks,
  ...describedTreeChecks,
  ...describedAggregateChecks,
  ...describedCountChecks,
  ...describedFinalChecks,
  ...describedBlobChecks,
  ...describedNormalChecks,
  ...describedTimeChecks,
  ...describedNullChecks,
  ...describedSortChecks,
  ...describedShapeChecks,
  ...describedShapeChangesChecks,
  ...describedOptionalChecks,
  ...describedUnknownChecks,
]);

/** Of queries, copies and blobs what rests on the type's descriptor most. */
const BY_DESCRIPTOR: ReadonlySet<string> = new Set([
  'query-condition-operators',
  'query-sort-described',
  'query-changes-every-query',
  'copy-every-value',
  'blob-lookup-objects',
]);

/**
 * Returns whether a check looks at what a type's descriptor says, not at what holds for every type.
 */
export const isDescribed = ({ id }: Check): boolean =>
  id.startsWith('described-') || BY_DESCRIPTOR.has(id);
