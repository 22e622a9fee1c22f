export type { Item, Json, JsonMap } from '../../scripts/conform/client/json.js';
