import { eventLogContract } from '../testing/contracts/event-log.ts';
import { MemoryEventLog } from './memory-event-log.ts';

eventLogContract('MemoryEventLog', async () => ({
  log: new MemoryEventLog(),
  reopen: () => null,
  remove: async () => undefined,
}));
