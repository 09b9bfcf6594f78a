/** In milliseconds, some 24 days: a timer that is to take longer fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
