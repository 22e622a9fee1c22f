/** A check can't be run here: its message says why. It neither passed nor failed. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
