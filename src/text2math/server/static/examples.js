// The examples: a label and a text each.

export const STORIES = [
  ["In total", "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. In total, how many apples were picked?"],
  ["What is left", "Ella had 53 stickers. She gave 17 of them to her brother. How many stickers does she have left?"],
  ["Equal groups", "A train has 8 coaches with 60 seats in each coach. How many seats does the train have?"],
  ["Sharing", "Omar shares 42 marbles equally among 6 friends. How many marbles does each friend get?"],
  ["Two steps", "Mia had 30 beads. She made 4 rings with 5 beads each. How many beads are left?"],
  ["Irrelevant number", "Lena is 9 years old. She bought 12 pens and 5 rulers. How many things did she buy?"],
  ["Decimals", "A notebook costs $2.75 and a pencil costs $0.60. How much do they cost together?"],
  ["Unsure", "Of 24 children half went home, then 3 came. How many are there?"],
];

export const SENTENCES = [
  ["Two numbers", "3 times one of the numbers is 11 less than 5 times the other."],
  ["The DAX", "Germany's DAX opens 0.7% lower at 10,842."],
  ["Twice", "Twice a number is 18 more than the number."],
  ["Sum", "The sum of two numbers is 25."],
];
