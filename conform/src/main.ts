#!/usr/bin/env node
import { runCommand } from '../../src/descriptor/command-line.js';
import { CONFORM } from './program.js';

await runCommand(CONFORM);
