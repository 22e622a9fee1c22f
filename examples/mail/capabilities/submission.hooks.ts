// RFC 8621 sections 6 and 7. submission/ has the functions.
import type { PrismaClient } from '../build/prisma/sqlite/client.js';
import type { Hooks } from '../generated/submission/hooks.js';
import { checkSubmissions } from './submission/check-submissions.js';
import { deliverFinal, releaseDue } from './submission/delivery.js';
import { checkIdentities, seedIdentity } from './submission/identities.js';
import { followSubmissions } from './submission/submissions.js';

export const hooks = {
  types: {
    Identity: { check: checkIdentities },
    EmailSubmission: {
      check: checkSubmissions,
      inTransaction: followSubmissions,
      afterCommit: deliverFinal,
    },
  },
  accountCreated: seedIdentity,
  jobs: { release: { every: '5s', timeout: '1m', run: releaseDue } },
} satisfies Hooks<PrismaClient>;
