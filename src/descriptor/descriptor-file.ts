import type { Located } from './located.js';
import type { Location } from './model.js';

/** A descriptor's text, read and parsed. */
export interface Descriptor {
  /** Relative to the project's root, with `/`. */
  readonly file: string;
  /** The file's name without its extension: the folder in generated/. */
  readonly base: string;
  /** The package brings it: a team's project neither has the file nor what is made of it. */
  readonly isEngines?: boolean;
  readonly start: Location;
  readonly root: Located | undefined;
}

/** A descriptor with a root: its text is one that the language can be read from. */
export type ReadableDescriptor = Descriptor & { readonly root: Located };

/** Returns whether a descriptor has a root. */
export function isReadable(descriptor: Descriptor): descriptor is ReadableDescriptor {
  return descriptor.root !== undefined;
}

/** Returns the text of a file; undefined where it is not UTF-8. */
export function decode(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
