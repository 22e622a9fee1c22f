// Compilers of Vue and Svelte read these files; TypeScript sees components of any properties.
declare module '*.vue' {
  import type { Component } from 'vue';

  const component: Component;
  export default component;
}

declare module '*.svelte' {
  import type { Component } from 'svelte';
  import type { Jmap } from './start.js';

  const component: Component<{ jmap: Jmap }>;
  export default component;
}
