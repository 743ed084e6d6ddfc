"""The conditional random field over text-math trees: potentials, forests, the chart, trees."""
