import { evolvesOver } from './shelf.js';

evolvesOver(2_000, 480_000);
