import { afterEach, beforeEach, describe } from 'vitest';
import { Bench, type OpenEngine } from './suite/bench.js';
import { blobCases } from './suite/blobs.js';
import { changeCases } from './suite/changes.js';
import { exclusiveCases } from './suite/exclusive.js';
import { extremeCases } from './suite/extremes.js';
import { filterCases } from './suite/filters.js';
import { objectCases } from './suite/objects.js';
import { orderCases } from './suite/order.js';
import { randomCases } from './suite/random.js';
import { referenceCases } from './suite/references.js';
import { scopeCases } from './suite/scopes.js';
import { searchCases } from './suite/search.js';
import { stateReadCases } from './suite/state-reads.js';
import { statementCases } from './suite/statements.js';
import { transactionCases } from './suite/transactions.js';
import { uniqueCases } from './suite/uniques.js';
import { userValueCases } from './suite/user-values.js';

/**
 * Tests what every engine of the store port must do: each engine's test file calls this with its
 * own factory.
 */
export function storeSuite(name: string, open: OpenEngine): void {
  describe(`store on ${name}`, () => {
    const bench = new Bench();

    beforeEach(() => bench.open(open));

    afterEach(() => bench.close());

    objectCases(bench);
    stateReadCases(bench);
    statementCases(bench);
    filterCases(bench);
    orderCases(bench);
    randomCases(bench);
    searchCases(bench);
    referenceCases(bench);
    uniqueCases(bench);
    changeCases(bench);
    scopeCases(bench);
    userValueCases(bench);
    blobCases(bench);
    transactionCases(bench);
    exclusiveCases(bench);
    extremeCases(bench);
  });
}
