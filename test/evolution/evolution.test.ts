import { evolvesOver } from './shelf.js';

evolvesOver(2_000, 240_000);
