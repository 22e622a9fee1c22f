import { mount } from 'svelte';
import { start } from '../shared/start.js';
import App from './App.svelte';

start((jmap, target) => mount(App, { target, props: { jmap } }));
