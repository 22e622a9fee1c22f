import { ALLOWED, ANYWHERE } from './allowed.js';
import { allowedTests } from './allowed-tests.js';

// All that the RFC allows and this project decided otherwise, or leaves open: each check takes it
// of another server.
allowedTests(ALLOWED, ANYWHERE);
