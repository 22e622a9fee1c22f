import type { Country, CountryRecord } from './records.js';

/** A patch and what it makes of the country it meets. */
interface Update {
  readonly patch: object;
  readonly becomes: (country: Country) => Partial<CountryRecord>;
}

/** One /set call, its countries named by code. */
export interface Step {
  readonly create: Readonly<Record<string, CountryRecord>>;
  readonly update: Readonly<Record<string, Update>>;
  readonly destroy: readonly string[];
}

/** Sets properties as a patch of whole properties does. */
function put(values: Partial<CountryRecord>): Update {
  return { patch: values, becomes: () => values };
}

function imaginary(name: string, code: string, area: number): CountryRecord {
  return {
    name,
    officialName: `Realm of ${name}`,
    code,
    nativeNames: {},
    languages: { grc: 'Ancient Greek' },
    capital: [],
    borders: [],
    latlng: [-0.5, 1e-7],
    region: 'Europe',
    area,
    landlocked: false,
    independent: null,
    flag: '🏴‍☠️',
    flagBlobId: null,
  };
}

/** Countries are renamed, grow, shrink, come and go: in and out of queries and about in them. */
export const STEPS: readonly Step[] = [
  {
    create: { AA: imaginary('Atlantis', 'AA', 7_700_000) },
    update: {
      AX: {
        patch: { 'nativeNames/swe/common': 'Landet Åland', 'languages/fin': 'Finnish' },
        becomes: ({ nativeNames, languages }) => ({
          nativeNames: {
            ...nativeNames,
            swe: { official: 'Landskapet Åland', common: 'Landet Åland' },
          },
          languages: { ...languages, fin: 'Finnish' },
        }),
      },
      SJ: put({ area: 61_022 }),
      FR: put({ name: 'Ancienne Gaule' }),
    },
    destroy: ['AQ', 'BV'],
  },
  {
    create: { LL: imaginary('Lémurie', 'LL', 0.25) },
    update: {
      CA: put({ region: 'Europe', area: 12.5 }),
      DE: put({ independent: null, capital: ['Bonn', 'Berlin'] }),
      IT: { patch: { 'nativeNames/ita': null }, becomes: () => ({ nativeNames: {} }) },
      MC: put({ area: 2_000_000 }),
      AA: put({ area: 3, name: 'Sunken Atlantis' }),
    },
    destroy: ['HM'],
  },
  {
    create: {},
    update: {
      FR: {
        patch: { name: 'France', region: null },
        becomes: () => ({ name: 'France', region: '' }),
      },
      GL: { patch: { area: null }, becomes: () => ({ area: 0 }) },
      LL: put({ latlng: [] }),
    },
    destroy: ['VA', 'UM', 'AA'],
  },
];

/** Queries that a client keeps up to date through the steps. */
export const WATCHED = [
  { sort: [{ property: 'area', isAscending: false }], filter: { region: 'Europe' } },
  { sort: [{ property: 'name' }], filter: { minArea: 1_000_000 } },
  { sort: [{ property: 'code' }], filter: null },
] as const;
