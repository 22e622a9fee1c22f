import type { HookReader, HookTransaction } from 'jmapsmith/capability';
import {
  type ContactCardStored,
  contactCardType,
  type Media,
} from '../generated/contacts/ContactCard.definition.js';
import type { Fault } from './card-faults.js';

/** The types of images that a photo may have (RFC 9610 3.5). */
const IMAGES = new Set(
  ['avif', 'gif', 'heic', 'jpeg', 'png', 'svg+xml', 'tiff', 'webp'].map((name) => `image/${name}`),
);

/** RFC 2397: what stands in front of data in base64. */
const DATA = /^data:([^,;]+)(?:;[^,;]+)*;base64,/i;

/** Returns the photos whose files are no images. Photos that the card has already may stay. */
export async function findPhotoFaults(
  before: ContactCardStored | null,
  { media = {} }: ContactCardStored,
  reader: HookReader,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [key, { kind, blobId, uri }] of Object.entries(media)) {
    const old = before?.media?.[key];
    if (kind !== 'photo' || (old?.kind === kind && old.blobId === blobId && old.uri === uri))
      continue;
    const type = blobId === undefined ? typeOf(uri) : (await reader.blob(blobId))?.type;
    if (type !== undefined && !IMAGES.has(type.toLowerCase()))
      faults.push({ path: `media/${key}`, text: `is a photo of the type ${type}, no known image` });
  }
  return faults;
}

/** Returns the type of a data URI; undefined of any other. */
function typeOf(uri = ''): string | undefined {
  return /^data:([^,;]+)[,;]/i.exec(uri)?.[1];
}

/**
 * Makes blobs of the data that cards hold in URIs, and gives each blob of theirs its media type
 * (RFC 9610 3).
 */
export async function keepData(
  cards: readonly ContactCardStored[],
  tx: HookTransaction,
): Promise<void> {
  const update: Record<string, Record<string, Media>> = {};
  for (const { id, media = {} } of cards)
    for (const [key, one] of Object.entries(media)) {
      const kept = await keepOne(one, tx);
      if (kept !== one) update[id] = { ...update[id], [`media/${key}`]: kept };
    }
  if (Object.keys(update).length > 0) await tx.set(contactCardType, { update });
}

async function keepOne(media: Media, tx: HookTransaction): Promise<Media> {
  const { uri, ...others } = media;
  const [head = '', type = ''] = DATA.exec(uri ?? '') ?? [];
  const base64 = uri?.slice(head.length) ?? '';
  const octets = Buffer.from(base64, 'base64');
  // A text that is no base64 after all stays as it is.
  if (head !== '' && octets.toString('base64') === base64) {
    const { id } = await tx.putBlob(octets, type);
    return { ...others, blobId: id, mediaType: media.mediaType ?? type };
  }
  if (media.blobId === undefined || media.mediaType !== undefined) return media;
  const blob = await tx.blob(media.blobId);
  return blob === null ? media : { ...media, mediaType: blob.type };
}
