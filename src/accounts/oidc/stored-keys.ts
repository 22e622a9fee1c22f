import { hash } from 'node:crypto';
import type { PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import type { ProviderPlaces } from './discovery.js';
import type { ReadKeys } from './key-ring.js';

/** The last that a provider said of itself. */
export interface ProviderRecord {
  /** Null: it was not asked. */
  readonly places: (ProviderPlaces & { readonly readAt: number }) | null;
  /** The place of the keys, where it was configured. */
  readonly jwks: URL | null;
  readonly keys: ReadKeys | null;
}

/** Keeps what providers said, so that a server can start while one is away. */
export interface ProviderStore {
  /** Resolves to null where nothing, or nothing usable, is kept. */
  read(issuer: string): Promise<ProviderRecord | null>;
  write(issuer: string, record: ProviderRecord): Promise<void>;
}

/** Keeps records as rows of JmapMeta: public keys and URLs, nothing secret. */
export class StoredProviders implements ProviderStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async read(issuer: string): Promise<ProviderRecord | null> {
    const row = await this.#prisma.jmapMeta.findUnique({ where: { key: keyOf(issuer) } });
    return row === null ? null : parseRecord(row.value);
  }

  async write(issuer: string, record: ProviderRecord): Promise<void> {
    const key = keyOf(issuer);
    const value = JSON.stringify(record);
    await this.#prisma.jmapMeta.upsert({
      where: { key },
      update: { value },
      create: { key, value },
    });
  }
}

function keyOf(issuer: string): string {
  return `oidc:${hash('sha256', issuer, 'base64url')}`;
}

/** The JSON of a record: URLs are texts. */
interface StoredRecord {
  readonly places: {
    readonly jwksUri: string;
    readonly introspection: string | null;
    readonly readAt: number;
  } | null;
  readonly jwks: string | null;
  readonly keys: ReadKeys | null;
}

function parseRecord(value: string): ProviderRecord | null {
  try {
    const { places, jwks, keys } = JSON.parse(value) as StoredRecord;
    return {
      places: places && {
        jwksUri: new URL(places.jwksUri),
        introspection: urlOf(places.introspection),
        readAt: places.readAt,
      },
      jwks: urlOf(jwks),
      keys,
    };
  } catch {
    // Another version wrote it: the provider is asked again.
    return null;
  }
}

function urlOf(text: string | null): URL | null {
  return text === null ? null : new URL(text);
}
