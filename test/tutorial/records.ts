import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Country as Source } from 'world-countries';
import { ROOT } from '../support/server.js';

const DATA_SET = join(ROOT, 'node_modules', 'world-countries');

/** A country as the tutorial's type has it, without what the server sets. */
export interface CountryRecord {
  readonly name: string;
  readonly officialName: string;
  readonly code: string;
  readonly nativeNames: Readonly<Record<string, { official: string; common: string }>>;
  readonly languages: Readonly<Record<string, string>>;
  readonly capital: readonly string[];
  readonly borders: readonly string[];
  readonly latlng: readonly number[];
  readonly region: string;
  readonly area: number;
  readonly landlocked: boolean;
  readonly independent: boolean | null;
  readonly flag: string;
  readonly flagBlobId: string | null;
}

/** As /get lists it. */
export interface Country extends CountryRecord {
  readonly id: string;
  readonly created: string;
  readonly updated: string;
}

export interface DataSetEntry {
  /** ISO 3166-1 alpha-3, the creation id. */
  readonly key: string;
  readonly record: CountryRecord;
  readonly flag: Buffer;
}

/** The data set's countries with their flags as SVG. */
export async function readDataSet(): Promise<DataSetEntry[]> {
  const text = await readFile(join(DATA_SET, 'countries.json'), 'utf8');
  const countries = JSON.parse(text) as readonly Source[];
  return Promise.all(
    countries.map(async (source) => ({
      key: source.cca3,
      record: recordOf(source),
      flag: await readFile(flagFile(source.cca3)),
    })),
  );
}

function flagFile(cca3: string): string {
  return join(DATA_SET, 'data', `${cca3.toLowerCase()}.svg`);
}

function recordOf(source: Source): CountryRecord {
  return {
    name: source.name.common,
    officialName: source.name.official,
    code: source.cca2,
    nativeNames: source.name.native,
    languages: source.languages,
    capital: source.capital,
    borders: source.borders,
    latlng: source.latlng,
    region: source.region,
    area: source.area,
    landlocked: source.landlocked,
    independent: source.independent,
    flag: source.flag,
    flagBlobId: null,
  };
}
