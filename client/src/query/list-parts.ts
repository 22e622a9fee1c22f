/** The parts of the client that lists need which only the server can decide. */
export { ListSync } from '../sync/list-sync.js';
export { overlayRows } from './overlay.js';
