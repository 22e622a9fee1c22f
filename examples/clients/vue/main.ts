import { createApp } from 'vue';
import { start } from '../shared/start.js';
import App from './App.vue';

start((jmap, element) => createApp(App, { jmap }).mount(element));
