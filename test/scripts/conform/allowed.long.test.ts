import { ALLOWED } from './allowed.js';
import { allowedTests } from './allowed-tests.js';

// All that the RFC allows and this project decided otherwise: of another server each check takes it.
allowedTests(ALLOWED);
