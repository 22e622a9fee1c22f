/** Methods that descriptors declare and the engine implements; every other own method is a hook file's. */
export const BUILT_IN_METHODS: readonly string[] = Object.freeze([
  'Core/echo',
  'Blob/upload',
  'Blob/get',
  'Blob/lookup',
  'Blob/copy',
]);
