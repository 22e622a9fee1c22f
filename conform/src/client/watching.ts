import { rootCertificates } from 'node:tls';
import type { Recorder } from './exchange.js';
import type { Fence } from './fence.js';
import type { StandIns } from './stand-ins.js';

/** How connections are made. */
export interface Wire {
  /** Certificates of authorities that are trusted; absent where those of Node will do. */
  readonly ca?: readonly string[];
  /** ms that a server may take for an answer. */
  readonly patience: number;
  /** Octets of an answer at the most; MOST_OCTETS where it is absent. */
  readonly most?: number;
}

/** More octets than any check asks for. */
export const MOST_OCTETS = 2 ** 28;

/** Waits 60 seconds for an answer and trusts the authorities of Node. */
export const WIRE: Wire = Object.freeze({ patience: 60_000 });

/** Returns a wire that also trusts the authorities of these certificates, in PEM. */
export const trustAuthorities = (wire: Wire, ...pems: readonly string[]): Wire => ({
  ...wire,
  ca: [...rootCertificates, ...pems],
});

/** Sees all that is sent and answered, whichever user it is, and how it is sent. */
export interface Watching {
  readonly recorder: Recorder;
  readonly fence: Fence;
  readonly wire: Wire;
  /** By type. */
  readonly standIns: ReadonlyMap<string, StandIns>;
  /** Whether one answer alone is right where the RFCs allow several. */
  readonly strict: boolean;
}

/** Returns the option of a TLS connection. */
export const readTrust = ({ ca }: Wire): { readonly ca?: string[] } =>
  ca === undefined ? {} : { ca: [...ca] };
