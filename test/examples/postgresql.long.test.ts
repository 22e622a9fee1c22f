import { conformance } from '../conformance/cases/all.js';
import { describedWorld } from '../conformance/descriptor.js';
import { Suite } from '../conformance/suite.js';
import { usePostgresql } from '../support/postgresql.js';
import { firstCases } from './cases.js';
import { secondCases } from './more-cases.js';
import { useExamples } from './project.js';

// The same calls, with the same answers, where DATABASE_URL names a PostgreSQL.
const postgresql = usePostgresql();
const examples = useExamples(async () => ({
  DATABASE_URL: await postgresql().createDatabase('examples'),
}));

firstCases(examples);
secondCases(examples);

// A rich type by its descriptor; the protocol's part of the suite for it, and the others of
// gadget.yaml, are in the long tier.
const world = describedWorld('gadget.yaml');
conformance(new Suite(world, 'Gadget', () => examples().fixtures), { protocol: false });
