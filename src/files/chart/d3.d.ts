/** What is used of the parts of d3 that Observable Plot brings, without types. */
declare module 'd3-scale' {
  interface LinearScale {
    domain(): number[];
    nice(count: number): LinearScale;
    ticks(count: number): number[];
    tickFormat(count: number): (value: number) => string;
  }
  interface TimeScale {
    ticks(count: number): Date[];
  }
  export const scaleLinear: (domain: readonly number[], range: readonly number[]) => LinearScale;
  export const scaleUtc: (domain: readonly number[], range: readonly number[]) => TimeScale;
}
declare module 'd3-time' {
  export interface TimeInterval {
    (date: Date): Date;
    offset(date: Date, step: number): Date;
  }
  export const utcYear: TimeInterval;
  export const utcMonth: TimeInterval;
  export const utcDay: TimeInterval;
  export const utcMonday: TimeInterval;
  export const utcHour: TimeInterval;
  export const utcMinute: TimeInterval;
}
declare module 'd3-time-format' {
  export const utcFormat: (specifier: string) => (date: Date) => string;
}
