import { isDeepStrictEqual } from 'node:util';
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

/** Returns the photos whose files are no images. Photos that the card has already may stay. */
export async function findPhotoFaults(
  before: ContactCardStored | null,
  { media = {} }: ContactCardStored,
  reader: HookReader,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [key, photo] of Object.entries(media)) {
    if (photo.kind !== 'photo' || isDeepStrictEqual(photo, before?.media?.[key])) continue;
    const { blobId, uri, mediaType } = photo;
    const type = blobId === undefined ? typeOf(uri) : (await reader.blob(blobId))?.type;
    const wrong = [type, mediaType].find((each) => each && !IMAGES.has(each.toLowerCase()));
    if (wrong !== undefined)
      faults.push({
        path: `media/${key}`,
        text: `is a photo of the type ${wrong}, no known image`,
      });
  }
  return faults;
}

/** Returns the type of a data URI (RFC 2397); undefined of any other. */
function typeOf(uri = ''): string | undefined {
  const [, type] = /^data:([^,;]*)/i.exec(uri) ?? [];
  return type === '' ? 'text/plain' : type;
}

/** Returns the content of a data URI; null for any other, and for one that is broken. */
async function readData(uri = ''): Promise<{ type: string; octets: Uint8Array } | null> {
  if (!/^data:/i.test(uri)) return null;
  const answer = await fetch(uri).catch(() => null);
  if (answer === null) return null;
  return { type: typeOf(uri) ?? '', octets: new Uint8Array(await answer.arrayBuffer()) };
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
  const data = await readData(uri);
  if (data !== null) {
    const { id } = await tx.putBlob(data.octets, data.type);
    return { ...others, blobId: id, mediaType: media.mediaType ?? data.type };
  }
  if (media.blobId === undefined || media.mediaType !== undefined) return media;
  const blob = await tx.blob(media.blobId);
  return blob === null ? media : { ...media, mediaType: blob.type };
}
