import { evolvesOver } from './shelf.js';

evolvesOver(1_200, 480_000, { moments: 1 });
