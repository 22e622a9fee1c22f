import { expect } from 'vitest';
import {
  BLOB,
  type ChangesAnswer,
  type CopyAnswer,
  type QueryAnswer,
  type QueryChangesAnswer,
  type SetAnswer,
} from '../support/client.js';
import { type Jam, JamClient, type Meta, type Options } from './jam.js';
import type { Country } from './records.js';

export const COUNTRIES = 'https://example.com/jmap/countries';

export interface CountryGetAnswer {
  readonly accountId: string;
  readonly state: string;
  readonly list: Country[];
  readonly notFound: string[];
}

export interface LookupAnswer {
  readonly accountId: string;
  readonly list: { readonly id: string; readonly matchedIds: Record<string, string[]> }[];
  readonly notFound: string[];
}

type Method<Answer> = (args: object, options?: Options) => Promise<[Answer, Meta]>;

/** The types of jmap-jam where it was never told about them: methods are found at run time. */
interface Api {
  readonly Country: {
    readonly get: Method<CountryGetAnswer>;
    readonly set: Method<Partial<SetAnswer> & Pick<SetAnswer, 'oldState' | 'newState'>>;
    readonly copy: Method<Partial<CopyAnswer>>;
    readonly changes: Method<ChangesAnswer>;
    readonly query: Method<QueryAnswer>;
    readonly queryChanges: Method<QueryChangesAnswer>;
  };
  readonly Blob: { readonly lookup: Method<LookupAnswer> };
}

interface Query {
  readonly accountId: string;
  readonly [argument: string]: unknown;
}

/** jmap-jam, a client that was written elsewhere, with types for countries over it. */
export class CountryClient {
  readonly jam: Jam;
  readonly token: string;

  constructor(url: string, token: string) {
    this.token = token;
    this.jam = new JamClient({
      sessionUrl: `${url}/.well-known/jmap`,
      bearerToken: token,
      customCapabilities: { Country: COUNTRIES, Blob: BLOB },
    });
  }

  get Country(): Api['Country'] {
    return (this.jam.api as Api).Country;
  }

  /** A /query and a /get of what it finds in one request, by a result reference. */
  async queryThenGet(query: Query): Promise<CountryGetAnswer> {
    const { accountId } = query;
    const [answers] = await this.jam.requestMany(({ Country }) => {
      if (Country?.['query'] === undefined || Country['get'] === undefined) {
        throw new Error('jmap-jam makes a draft of any method.');
      }
      const found = Country['query'](query);
      return { found, countries: Country['get']({ accountId, ids: found.$ref('/ids') }) };
    });
    return (answers as { readonly countries: CountryGetAnswer }).countries;
  }

  /** The whole list, in no promised order, and its state. */
  async all(accountId: string): Promise<CountryGetAnswer> {
    const [answer] = await this.Country.get({ accountId, ids: null });
    return answer;
  }

  async query(args: object): Promise<QueryAnswer> {
    const [answer] = await this.Country.query(args);
    return answer;
  }

  /** Looks up the countries that have these pictures. */
  async lookup(accountId: string, ids: readonly string[]): Promise<LookupAnswer> {
    const api = this.jam.api as Api;
    const args = { accountId, typeNames: ['Country'], ids };
    const [answer] = await api.Blob.lookup(args, { using: [COUNTRIES] });
    return answer;
  }

  async uploadFlag(accountId: string, octets: Buffer): Promise<string> {
    const body = new Blob([new Uint8Array(octets)], { type: 'image/svg+xml' });
    const answer = await this.jam.uploadBlob(accountId, body);
    const { blobId } = answer;
    expect(answer).toEqual({ accountId, blobId, type: body.type, size: octets.length });
    return blobId;
  }

  async downloadFlag(accountId: string, blobId: string): Promise<Buffer> {
    const response = await this.jam.downloadBlob({
      accountId,
      blobId,
      mimeType: 'image/svg+xml',
      fileName: 'flag.svg',
    });
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    return Buffer.from(await response.arrayBuffer());
  }
}

/** Works through items, `atOnce` at a time; the results are in the items' order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
