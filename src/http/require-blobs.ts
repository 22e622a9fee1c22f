import type { AccessMode, Principal } from '../accounts/principal.js';
import { findCapabilityMode } from '../protocol/access-modes.js';
import { findScope } from '../protocol/open-capabilities.js';
import { insufficientScope } from './challenges.js';
import type { TransportServices } from './shared.js';

type BlobServices = Pick<TransportServices, 'registry' | 'blobCapability' | 'identity'>;

/** Throws HttpError 403 where a principal may not use the capability of blobs so far. */
export function requireBlobs(
  { registry, blobCapability, identity }: BlobServices,
  principal: Principal,
  needed: AccessMode,
): void {
  const capability = registry.capabilities.get(blobCapability ?? '');
  if (principal.capabilities === null || capability === undefined) return;
  const mode = findCapabilityMode(principal, capability);
  if (mode === 'full' || mode === needed) return;
  const use = mode === null ? 'use' : 'write by';
  const detail = `The token may not ${use} ${capability.urn}.`;
  throw insufficientScope(identity.offer, detail, findScope(capability, needed));
}
