import { useFixtures } from '../support/fixtures.js';
import { allCases } from './cases/all.js';
import { NOTE, Suite } from './suite.js';

// One engine, one set of answers: the cases of Todo for the reference type.
const { fixtures } = useFixtures();
allCases(new Suite(NOTE, fixtures));
