import { ALL_CHECKS } from '../../test/conformance/checks.js';
import { faultTests } from './fault-tests.js';
import { FAULTS } from './faults/index.js';

// Each check by each fault that it must notice: a runner whose checks never fail shows nothing.
faultTests({ faults: FAULTS, checks: ALL_CHECKS, passing: ALL_CHECKS });
