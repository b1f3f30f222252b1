import './solid.jsx';
