import { describe } from 'vitest';
import { subscriptionSuite } from './suite.js';

describe('push subscriptions on PostgreSQL', () => subscriptionSuite('PostgreSQL'));
