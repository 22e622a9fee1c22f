export type { Item, Json, JsonMap } from '../../conform/src/client/json.js';
